// The calls of one evaluation share a session: its mark, its notes, and the order to stop.
import { randomHex } from "../../../platform/crypto.ts";
import type { CriterionNotes, JudgeSession } from "../../../ports/judge.ts";

const MARK_BYTES = 4;

export interface SessionState {
	readonly mark: string;
	/** The notes have the name of their criterion as key. */
	readonly notes: Map<string, CriterionNotes>;
}

export function newSessionState(): SessionState {
	return { mark: randomHex(MARK_BYTES), notes: new Map() };
}

/** Opens a session that continues from a state, and writes its notes into that state. */
export function openJudgeSession({ mark, notes }: SessionState = newSessionState(), requestId: string | null = null): JudgeSession {
	let reason: Error | null = null;
	return {
		mark,
		requestId,
		notesOf(criterion) {
			const known = notes.get(criterion) ?? { unanswered: {}, isExcused: false, answers: {} };
			notes.set(criterion, known);
			return known;
		},
		stop(error) {
			reason ??= error;
		},
		assertGoing() {
			if (reason !== null) throw reason;
		},
	};
}

/** Runs the first work of each key before any other, so that a provider has the shared prefix in its cache when the rest comes. */
export type FirstAlone = <T>(key: string, work: () => Promise<T>) => Promise<T>;

export function createFirstAlone(): FirstAlone {
	const isWarm = new Set<string>();
	const first = new Map<string, Promise<unknown>>();
	return async (key, work) => {
		while (!isWarm.has(key)) {
			const running = first.get(key);
			if (running !== undefined) {
				await running;
				continue;
			}
			const result = work();
			const settled = result.then(
				() => isWarm.add(key),
				() => {},
			);
			first.set(
				key,
				settled.finally(() => first.delete(key)),
			);
			return result;
		}
		return work();
	};
}
