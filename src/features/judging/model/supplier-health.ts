// A supplier that has failed for two minutes is skipped while another one works. Each isolate finds that out for itself.
import { readModel } from "../../../config/judge-suppliers.ts";
import { MINUTE_MS } from "../../../platform/clock.ts";

const SKIPPED_AFTER_MS = 2 * MINUTE_MS;
/** After this time the supplier is asked again, because it may work again. */
const SKIPPED_FOR_MS = 5 * MINUTE_MS;

/** The times are milliseconds since the epoch. */
const failing = new Map<string, { readonly since: number; readonly last: number }>();

/** Records the outcome of a call. A rate limit is not a failure, because the supplier says when to come back. */
export function noteCall(model: string, { hasFailed, now }: { readonly hasFailed: boolean; readonly now: number }): void {
	const { supplier } = readModel(model);
	if (hasFailed) failing.set(supplier, { since: failing.get(supplier)?.since ?? now, last: now });
	else failing.delete(supplier);
}

/** Returns the models whose supplier works, or all of them if none does. */
export function workingModels(models: readonly string[], now: number): readonly string[] {
	const working = models.filter((model) => !isSkipped(readModel(model).supplier, now));
	return working.length === 0 ? models : working;
}

function isSkipped(supplier: string, now: number): boolean {
	const found = failing.get(supplier);
	return found !== undefined && found.last - found.since >= SKIPPED_AFTER_MS && now - found.last < SKIPPED_FOR_MS;
}

/** Forgets all failures, for tests. */
export function forgetFailures(): void {
	failing.clear();
}
