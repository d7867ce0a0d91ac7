// Stores the results of an attempt's control questions. One control question decides about all earlier failures of calls of the same
// form to the same model.
import type { WaitError } from "./waits.ts";

/** If the control was not answered, the error says what the job waits for. */
export type ControlResult = { readonly isAnswered: true } | { readonly isAnswered: false; readonly error: WaitError };

export interface ControlBook {
	/**
	 * Returns the result of a control question that began after this failure. Asks a new one only if there is none yet.
	 *
	 * @param key The model and the form of the failed call.
	 */
	decide(key: string, failure: { readonly tick: () => number; readonly ask: () => Promise<ControlResult> }): Promise<ControlResult>;
}

interface Entry {
	readonly startedAt: number;
	readonly result: Promise<ControlResult>;
}

export function createControlBook(): ControlBook {
	const latest = new Map<string, Entry>();
	const pending = new Set<Entry>();
	return {
		async decide(key, { tick, ask }) {
			const failedAt = tick();
			// Waits a moment, so that calls that fail at the same time share a control.
			await Promise.resolve();
			for (;;) {
				const entry = latest.get(key);
				if (entry !== undefined && entry.startedAt > failedAt) return entry.result;
				if (entry === undefined || !pending.has(entry)) break;
				await entry.result.catch(() => undefined);
			}
			const entry: Entry = { startedAt: tick(), result: ask() };
			latest.set(key, entry);
			pending.add(entry);
			try {
				return await entry.result;
			} finally {
				pending.delete(entry);
			}
		},
	};
}
