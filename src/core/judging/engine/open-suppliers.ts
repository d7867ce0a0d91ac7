// Attempts do not call a supplier that has failed too often. Once a minute, one attempt sends the control question to the supplier. If the
// supplier answers it, the attempt uses the supplier again.
import { MINUTE_MS } from "../../../platform/clock.ts";
import type { JudgeWait, Outage } from "../../../ports/judge.ts";
import { type CallingContext, type EngineSettings, supplierOf } from "./context.ts";
import { askControl, type Question } from "./sending.ts";
import { explainWait, WaitError } from "./waits.ts";

/** The maximum time for trying a supplier. A longer try would hold up a job that another model can judge. */
const MAX_TRYING_MS = 2 * MINUTE_MS;

/** Lists the models of an evaluation, the judging ones first. */
function listModels({ models, isConfirming, confirmModel }: EngineSettings): string[] {
	return [...new Set([...models, ...(isConfirming && confirmModel !== null ? [confirmModel] : [])])];
}

export function explainOutage(model: string, { since, words }: Outage): JudgeWait {
	return explainWait(model, { kind: "open", since, words: words ?? "" });
}

/**
 * Stops the models whose suppliers must not be called. If this attempt may try such a supplier, it does so first. It tries the supplier's
 * models one after another until one answers, because a wrong model name says nothing about the other models.
 *
 * @param question Builds the question whose control is asked.
 * @returns The models that can be used.
 */
export async function stopOpen(calling: CallingContext, question: (model: string) => Question<unknown>): Promise<Set<string>> {
	const going = new Set<string>();
	const answered = new Set<string>();
	for (const model of listModels(calling.settings)) {
		const supplier = supplierOf(model);
		const outage = answered.has(supplier) ? null : calling.suppliers.findOutage(supplier);
		if (outage === null || (outage.mayTry && (await isAnswered(calling, question(model))))) {
			if (outage !== null) answered.add(supplier);
			going.add(model);
		} else {
			calling.stop(model, explainOutage(model, outage));
		}
	}
	return going;
}

async function isAnswered(calling: CallingContext, question: Question<unknown>): Promise<boolean> {
	const limit = new AbortController();
	const stop = calling.deps.clock.after(MAX_TRYING_MS, () => limit.abort(calling.over));
	const trying = { ...calling, signal: AbortSignal.any([calling.signal, limit.signal]) };
	try {
		return (await calling.runAtGate(question.model, () => askControl(trying, question, 1))).isAnswered;
	} catch (error) {
		// No place at the model's gate became free in this attempt.
		if (error instanceof WaitError) return false;
		throw error;
	} finally {
		stop();
	}
}
