// An isolate's view of the circuit breaker: caches which suppliers of models must not be called, and reports their failures and successes.
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { RecentValue } from "../../../platform/recent.ts";
import type { BoardDeps, SupplierBoard } from "../../../ports/deps.ts";
import type { Outage } from "../../../ports/judge.ts";
import type { SupplierState, WatchPort } from "../../../ports/watch.ts";
import { SUPPLIERS_FRESH_MS } from "./rules.ts";

/** If the object does not respond for this long, all suppliers count as working. */
const MAX_ASKING_MS = 2 * SECOND_MS;

type States = ReadonlyMap<string, SupplierState>;

/** Creates the board of an isolate. A request never waits for another request's read, because the runtime does not allow that. */
export function createSupplierBoard(): SupplierBoard {
	const cache = new RecentValue<States>(SUPPLIERS_FRESH_MS);
	const answeredAt = new Map<string, number>();
	const nextTryAt = new Map<string, number>();

	const read = async (deps: BoardDeps): Promise<States> => {
		const now = deps.clock.now();
		const recent = cache.find(now);
		if (recent !== null) return recent;
		const states = (await askWatch(deps, (watch) => watch.readSuppliers(now))) ?? [];
		return cache.keep(new Map(states.map((state) => [state.supplier, state])), now);
	};

	const findOutage = async (deps: BoardDeps, { supplier, openSince, words }: SupplierState): Promise<Outage | null> => {
		const now = deps.clock.now();
		if (openSince === null) return null;
		if (now < (nextTryAt.get(supplier) ?? 0)) return { since: openSince, mayTry: false, words };
		const taken = await askWatch(deps, (watch) => watch.takeTry({ supplier, now }));
		if (taken === null || taken.openSince === null) {
			cache.forget();
			return null;
		}
		nextTryAt.set(supplier, taken.nextTryAt);
		return { since: taken.openSince, mayTry: taken.mayTry, words };
	};

	const reportAnswer = async (deps: BoardDeps, answer: { readonly supplier: string; readonly sentAt: number }): Promise<void> => {
		const states = await read(deps);
		const state = states.get(answer.supplier);
		if (state === undefined || !state.hasFaults || answer.sentAt < (state.openSince ?? answer.sentAt)) return;
		// More responses before the next read would add nothing.
		cache.keep(new Map([...states].filter(([name]) => name !== answer.supplier)), deps.clock.now());
		nextTryAt.delete(answer.supplier);
		await askWatch(deps, (watch) => watch.noteAnswer(answer));
	};

	return {
		async findOutages(deps, suppliers) {
			const outages = new Map<string, Outage>();
			if (suppliers.size === 0) return outages;
			const states = await read(deps);
			for (const supplier of suppliers) {
				const state = states.get(supplier);
				const outage = state === undefined ? null : await findOutage(deps, state);
				if (outage !== null) outages.set(supplier, outage);
			}
			return outages;
		},
		noteAnswer(deps, answer) {
			const { supplier, sentAt } = answer;
			answeredAt.set(supplier, Math.max(sentAt, answeredAt.get(supplier) ?? sentAt));
			deps.background(reportAnswer(deps, answer));
		},
		noteFault(deps, { supplier, subjectId, words }) {
			const fault = { supplier, subjectId, words, at: deps.clock.now(), answeredAt: answeredAt.get(supplier) ?? null };
			// The next evaluation of this isolate reads the new state.
			deps.background(askWatch(deps, (watch) => watch.noteFault(fault)).then(() => cache.forget()));
		},
	};
}

/** Returns null if the object fails or does not respond in time. */
async function askWatch<Answer>(deps: BoardDeps, ask: (watch: WatchPort) => Promise<Answer>): Promise<Answer | null> {
	const late = Promise.withResolvers<null>();
	const stop = deps.clock.after(MAX_ASKING_MS, () => late.resolve(null));
	try {
		return await Promise.race([deps.hubs.callWatch(ask), late.promise]);
	} catch (error) {
		deps.log.error("watch_not_asked", describeError(error));
		return null;
	} finally {
		stop();
	}
}
