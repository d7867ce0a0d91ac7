import { SWITCHES, type Switches } from "../../domain/switches.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import type { PlatformState, Switchboard } from "../../ports/switchboard.ts";
import * as store from "./store.ts";

/** A request whose state is older reads it in the background, so that others do not wait. */
const REFRESH_AFTER_MS = 4 * SECOND_MS;
/** A request whose state is older reads it first. A change counts within 10 seconds, the time of the read included. */
const EXPIRES_AFTER_MS = 8 * SECOND_MS;
const REFRESH_INTERVAL_MS = 2 * SECOND_MS;

interface Known {
	readonly state: PlatformState;
	readonly readAt: number;
}

/** Remembers the state for this isolate. A request never waits for the read of another one, which the runtime does not allow. */
export function createSwitchboard(): Switchboard<Deps> {
	let known: Known | null = null;
	let refreshedAt = 0;

	async function refresh(deps: Deps): Promise<PlatformState> {
		const { rows, ceilings, oldestWaitingSince, readAt } = await store.findState({ db: deps.db.fork(), clock: deps.clock });
		const queueAgeMs = oldestWaitingSince === null ? 0 : Math.max(0, readAt - oldestWaitingSince);
		const state = { switches: toSwitches(rows), ceilings, queueAgeMs };
		known = { state, readAt };
		return state;
	}

	return {
		async read(deps) {
			const now = deps.clock.now();
			const age = known === null ? EXPIRES_AFTER_MS : now - known.readAt;
			if (known === null || age < 0 || age >= EXPIRES_AFTER_MS) return refresh(deps);
			if (age >= REFRESH_AFTER_MS && Math.abs(now - refreshedAt) >= REFRESH_INTERVAL_MS) {
				refreshedAt = now;
				deps.background(refresh(deps));
			}
			return known.state;
		},
		forget() {
			known = null;
		},
	};
}

type SwitchRow = Awaited<ReturnType<typeof store.findState>>["rows"][number];

/** All switches. One without a row is on. */
export function toSwitches(rows: readonly Pick<SwitchRow, "name" | "isOn" | "message">[]): Switches {
	const stateOf = (name: (typeof SWITCHES)[number]) => {
		const row = rows.find((candidate) => candidate.name === name);
		return { on: row?.isOn ?? true, message: row?.message ?? "" };
	};
	const [registration, submissions, judging, writes] = SWITCHES;
	return {
		registration: stateOf(registration),
		submissions: stateOf(submissions),
		judging: stateOf(judging),
		writes: stateOf(writes),
	};
}
