import { sql } from "drizzle-orm";
import { signatures } from "../../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { findPairs } from "./pairs.ts";
import { groupConnected, NEAR_IDENTICAL_FROM } from "./rules.ts";
import { toComparable } from "./signed-work.ts";

/**
 * Groups submissions whose artifacts are nearly identical, transitively. Every id is in exactly one group. An id that is
 * like no other, or that has no signature, is a group of its own.
 *
 * @param submissionIds Different ids, some thousand at most.
 */
export function groupNearIdentical({ db }: TaskStore, submissionIds: readonly string[]): string[][] {
	const isWanted = sql`${signatures.submissionId} in (select value from json_each(${JSON.stringify(submissionIds)}))`;
	const rows = db.select().from(signatures).where(isWanted).all();
	const rowsById = new Map(rows.map((row) => [row.submissionId, row]));
	const signed = submissionIds.flatMap((id) => rowsById.get(id) ?? []);
	const pairs = findPairs(signed.map(toComparable), NEAR_IDENTICAL_FROM);
	const groups = groupConnected(signed.length, pairs).map((group) => group.flatMap((index) => signed[index]?.submissionId ?? []));
	return [...groups, ...submissionIds.filter((id) => !rowsById.has(id)).map((id) => [id])];
}
