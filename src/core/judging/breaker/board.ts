// An isolate's view of the circuit breaker. Caches which suppliers of models must not be called, and reports their faults and successes.
import { SECOND_MS } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import { RecentValue } from "../../../platform/recent.ts";
import type { BoardDeps, SupplierBoard } from "../../../ports/deps.ts";
import type { Outage } from "../../../ports/judge.ts";
import type { SupplierState, WatchPort } from "../../../ports/watch.ts";
import { SUPPLIERS_FRESH_MS } from "./rules.ts";

/** If the object `Watch` does not respond for this long, all suppliers count as working. */
const MAX_ASKING_MS = 2 * SECOND_MS;

type States = ReadonlyMap<string, SupplierState>;

type SupplierAnswer = Parameters<SupplierBoard["noteAnswer"]>[1];

/**
 * The board of an isolate. Requests share the cached states, but each request reads them itself if they are too old, because the runtime
 * does not let it wait for another request.
 */
export class IsolateBoard implements SupplierBoard {
	readonly #states = new RecentValue<States>(SUPPLIERS_FRESH_MS);
	/** For each supplier, when the newest call that it has answered was sent. */
	readonly #answeredAt = new Map<string, number>();
	readonly #nextTryAt = new Map<string, number>();

	async findOutages(deps: BoardDeps, suppliers: ReadonlySet<string>): Promise<ReadonlyMap<string, Outage>> {
		const outages = new Map<string, Outage>();
		if (suppliers.size === 0) return outages;
		const states = await this.#read(deps);
		for (const supplier of suppliers) {
			const state = states.get(supplier);
			const outage = state === undefined ? null : await this.#findOutage(deps, state);
			if (outage !== null) outages.set(supplier, outage);
		}
		return outages;
	}

	noteAnswer(deps: BoardDeps, answer: SupplierAnswer): void {
		const { supplier, sentAt } = answer;
		this.#answeredAt.set(supplier, Math.max(sentAt, this.#answeredAt.get(supplier) ?? sentAt));
		deps.background(this.#reportAnswer(deps, answer));
	}

	noteFault(deps: BoardDeps, { supplier, subjectId, words }: Parameters<SupplierBoard["noteFault"]>[1]): void {
		const fault = { supplier, subjectId, words, at: deps.clock.now(), answeredAt: this.#answeredAt.get(supplier) ?? null };
		// Empties the cache, so that the next evaluation in this isolate reads the new state.
		deps.background(askWatch(deps, (watch) => watch.noteFault(fault)).then(() => this.#states.forget()));
	}

	async #read(deps: BoardDeps): Promise<States> {
		const now = deps.clock.now();
		const recent = this.#states.find(now);
		if (recent !== null) return recent;
		const states = (await askWatch(deps, (watch) => watch.readSuppliers(now))) ?? [];
		return this.#states.keep(new Map(states.map((state) => [state.supplier, state])), now);
	}

	/** Returns null if the supplier's breaker is closed, or if the object `Watch` could not be asked. */
	async #findOutage(deps: BoardDeps, { supplier, openSince, words }: SupplierState): Promise<Outage | null> {
		const now = deps.clock.now();
		if (openSince === null) return null;
		if (now < (this.#nextTryAt.get(supplier) ?? 0)) return { since: openSince, mayTry: false, words };
		const turn = await askWatch(deps, (watch) => watch.takeTry({ supplier, now }));
		if (turn === null || turn.openSince === null) {
			this.#states.forget();
			return null;
		}
		this.#nextTryAt.set(supplier, turn.nextTryAt);
		return { since: turn.openSince, mayTry: turn.mayTry, words };
	}

	/** Reports an answer if the object `Watch` knows of faults of the supplier. Ignores calls that were sent before the breaker opened. */
	async #reportAnswer(deps: BoardDeps, answer: SupplierAnswer): Promise<void> {
		const states = await this.#read(deps);
		const state = states.get(answer.supplier);
		if (state === undefined || !state.hasFaults || answer.sentAt < (state.openSince ?? answer.sentAt)) return;
		// Treats the supplier as working until the next read, so its further answers are not reported. They would change nothing.
		this.#states.keep(new Map([...states].filter(([name]) => name !== answer.supplier)), deps.clock.now());
		this.#nextTryAt.delete(answer.supplier);
		await askWatch(deps, (watch) => watch.noteAnswer(answer));
	}
}

/** Calls the object `Watch`. Returns null if it fails or does not respond in time. */
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
