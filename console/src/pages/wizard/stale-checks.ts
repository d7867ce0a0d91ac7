// Remembers in this browser which checks of a stored draft are older than their description. The platform stores only the result of an
// edit.
import * as z from "zod/mini";
import { isStale } from "../../rules/coach.ts";
import type { Draft } from "../../rules/draft.ts";

const staleChecks = z.array(z.object({ name: z.string(), description: z.string() }));
const staleItemOf = (taskId: string): string => `console.stale-checks.${taskId}`;

/** Reads the descriptions that outdated checks of a stored draft were written for, by criterion name. */
export function readStaleChecks(taskId: string): ReadonlyMap<string, string> {
	try {
		const kept = staleChecks.safeParse(JSON.parse(localStorage.getItem(staleItemOf(taskId)) ?? "[]")).data ?? [];
		return new Map(kept.map(({ name, description }) => [name, description]));
	} catch {
		return new Map();
	}
}

export function writeStaleChecks(taskId: string, criteria: Draft["criteria"]): void {
	const stale = criteria.flatMap((criterion) =>
		isStale(criterion) ? [{ name: criterion.name.trim(), description: criterion.checksOf }] : [],
	);
	if (stale.length === 0) localStorage.removeItem(staleItemOf(taskId));
	else localStorage.setItem(staleItemOf(taskId), JSON.stringify(stale));
}
