import * as z from "zod";
import { recordJurisdiction } from "../../../db/placement.ts";
import { readSwitchesSeen } from "../../../db/seen-switches.ts";
import { SWITCHES, type Switches } from "../../../domain/switches.ts";
import { SECOND_MS } from "../../../platform/clock.ts";
import { RecentValue } from "../../../platform/recent.ts";
import type { Deps, SeenSwitches, Switchboard } from "../../../ports/deps.ts";

/**
 * The switches stay cached for longer than a key. So whenever they are too old, the key is too, and one read returns both. A change takes
 * effect within 10 seconds, including the time of a read and a replica's delay.
 */
const FRESH_MS = 7 * SECOND_MS;

/** Caches the switches for this isolate. A request never waits for another request's read, because the runtime does not allow that. */
export function createSwitchboard(): Switchboard {
	const latest = new RecentValue<SeenSwitches>(FRESH_MS);
	const note = (seen: SeenSwitches) => {
		const newer = latest.find(seen.readAt);
		const placement = seen.placement ?? newer?.placement ?? null;
		if (newer === null || newer.revision <= seen.revision) latest.keep({ ...seen, placement }, seen.readAt);
	};
	return {
		note,
		async read(deps, isFresh = false) {
			const now = deps.clock.now();
			const recent = latest.find(now);
			if (recent !== null && !isFresh) return close(deps, recent);
			const current = { ...parseSwitches(await readSwitchesSeen(deps.db.fork())), readAt: now };
			note(current);
			return close(deps, current);
		},
		async recordPlacement(deps) {
			const latestSeen = latest.find(deps.clock.now());
			if (latestSeen === null || latestSeen.placement != null) return false;
			const jurisdiction = await recordJurisdiction(deps.db.fork(), placeOf(deps));
			latest.keep({ ...latestSeen, placement: jurisdiction }, latestSeen.readAt);
			return true;
		},
	};
}

function placeOf({ config }: Deps): string {
	return config.placement.jurisdiction ?? "none";
}

/**
 * Returns the switches as they take effect. Invalid settings, maintenance or a wrong jurisdiction switch some off, even if operators have
 * left them on.
 */
function close(deps: Deps, { switches, placement = null }: SeenSwitches): Switches {
	const invalid = deps.config.invalidSettings.flatMap(({ name, closes }) => {
		const message = `The setting ${name} of this platform is invalid.`;
		return closes === null ? [] : [[closes, { on: false, message, since: null }] as const];
	});
	const closed: Switches = { ...switches, ...Object.fromEntries(invalid), ...(deps.config.isInMaintenance ? inMaintenance(switches) : {}) };
	// A deployment stores nothing if its jurisdiction differs from the jurisdiction of its data.
	if (placement === null || placement === placeOf(deps)) return closed;
	const message = "The setting JURISDICTION of this platform differs from the jurisdiction of its data, so nothing can be stored.";
	return { ...closed, writes: { ...closed.writes, on: false, message } };
}

/** While its data is being restored, a deployment neither writes nor judges, regardless of the switches in the restored data. */
function inMaintenance({ writes, judging }: Switches): Partial<Switches> {
	const message = "The operators of this platform are restoring its data. You can still read it.";
	return { writes: { ...writes, on: false, message }, judging: { ...judging, on: false, message } };
}

/** Remembers the switches from the column `switchesSeen`, which every lookup of a credential also reads. */
export function noteSwitches({ switchboard }: Deps, text: string, readAt: number): void {
	switchboard.note({ ...parseSwitches(text), readAt });
}

const flag = z.literal([0, 1]).transform((value) => value === 1);
const seenRows = z.tuple([z.array(z.tuple([z.enum(SWITCHES), flag, z.string(), z.int(), z.int().nullable()])), z.string().nullable()]);

function parseSwitches(text: string) {
	const [rows, placement] = seenRows.parse(JSON.parse(text));
	const changed = rows.map(([name, isOn, message, revision, since]) => ({ name, isOn, message, revision, since }));
	return { switches: toSwitches(changed), placement, revision: revisionOf(changed) };
}

interface SwitchRow {
	readonly name: (typeof SWITCHES)[number];
	readonly isOn: boolean;
	readonly message: string;
	readonly revision: number;
	readonly since?: number | null;
}

/** Counts how often switches have been changed. */
export function revisionOf(changed: readonly Pick<SwitchRow, "revision">[]): number {
	return changed.reduce((sum, { revision }) => sum + revision, 0);
}

/** Builds all switches from their rows. A switch without a row is on. */
export function toSwitches(changed: readonly Omit<SwitchRow, "revision">[]): Switches {
	const stateOf = (name: (typeof SWITCHES)[number]) => {
		const row = changed.find((candidate) => candidate.name === name);
		return { on: row?.isOn ?? true, message: row?.message ?? "", since: row?.since ?? null };
	};
	const [registration, submissions, judging, writes] = SWITCHES;
	return {
		registration: stateOf(registration),
		submissions: stateOf(submissions),
		judging: stateOf(judging),
		writes: stateOf(writes),
	};
}
