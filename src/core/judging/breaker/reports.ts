// Tells an attempt at an evaluation which suppliers have an outage, and passes its faults and answers to the isolate's board.
import { readModel } from "../../../config/judge-suppliers.ts";
import type { BoardDeps, Deps } from "../../../ports/deps.ts";
import type { Judge, JudgeWait, SupplierReports } from "../../../ports/judge.ts";
import { explainOutage } from "../engine/open-suppliers.ts";

type Models = Pick<Judge, "models" | "confirmer">;

/**
 * Finds the outages among the suppliers of all models that the attempt may use. A supplier with an outage may be tried by one attempt per
 * minute, which may be this one.
 */
export async function openReports(
	deps: BoardDeps & Pick<Deps, "suppliers">,
	{ subjectId, judges }: { readonly subjectId: string; readonly judges: readonly Models[] },
): Promise<SupplierReports> {
	const outages = await deps.suppliers.findOutages(deps, new Set(judges.flatMap(modelsOf).map(supplierOf)));
	return {
		findOutage: (supplier) => outages.get(supplier) ?? null,
		noteAnswer: (answer) => deps.suppliers.noteAnswer(deps, answer),
		noteFault: (fault) => deps.suppliers.noteFault(deps, { ...fault, subjectId }),
	};
}

/**
 * Returns what an attempt must wait for, or null if it can continue. It must wait if, for one of its judges, all models or the confirmer
 * have an outage. Call it before the attempt reads the submission.
 *
 * An attempt that may try a supplier always continues. Otherwise, two suppliers whose turns come at different times would never be tried.
 */
export function findWait(judges: readonly Models[], { findOutage }: SupplierReports): JudgeWait | null {
	const outageOf = (model: string) => findOutage(supplierOf(model));
	if (judges.flatMap(modelsOf).some((model) => outageOf(model)?.mayTry === true)) return null;
	const waitOf = (model: string): JudgeWait | null => {
		const outage = outageOf(model);
		return outage === null ? null : explainOutage(model, outage);
	};
	for (const { models, confirmer } of judges) {
		const waits = models.map(waitOf);
		const [first] = waits;
		if (first !== undefined && first !== null && waits.every((wait) => wait !== null)) return first;
		const unconfirmed = confirmer === null ? null : waitOf(confirmer);
		if (unconfirmed !== null) return unconfirmed;
	}
	return null;
}

/** Lists the suppliers of all models that a judge may use, without duplicates. */
export function suppliersOf({ screening, ...judge }: Judge): string[] {
	const judges = screening === undefined ? [judge] : [screening, judge];
	return [...new Set(judges.flatMap(modelsOf).map(supplierOf))];
}

function modelsOf({ models, confirmer }: Models): string[] {
	return confirmer === null ? [...models] : [...models, confirmer];
}

function supplierOf(model: string): string {
	return readModel(model).supplier;
}
