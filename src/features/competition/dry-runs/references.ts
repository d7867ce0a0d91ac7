// A poster marks dry runs as references. They are examples for the judge, and cases of the judge check.
import { and, asc, eq, isNotNull, ne } from "drizzle-orm";
import { trials } from "../../../db/task/schema/judging.ts";
import type { TaskStore } from "../../../ports/task.ts";
import type { Reference } from "../../judging/work.ts";
import type { Expected } from "./rules.ts";

/** Selects the references of a task whose files are stored, oldest first. */
export function readReferences({
	db,
}: Pick<TaskStore, "db">): (Reference & { readonly name: string | null; readonly missingSections: string[] })[] {
	const isReference = and(eq(trials.reference, true), isNotNull(trials.artifactKey));
	return db
		.select()
		.from(trials)
		.where(isReference)
		.orderBy(asc(trials.createdAt), asc(trials.id))
		.all()
		.flatMap(({ id, name, artifactKey, artifactSha256, missingSections, expected }) =>
			artifactKey === null || expected === null
				? []
				: [{ id, name, artifactKey, artifactSha256, missingSections: missingSections ?? [], expected }],
		);
}

/** Counts the references of a task besides one run. */
export function countOtherReferences({ db }: TaskStore, id: string): number {
	const isOther = and(eq(trials.reference, true), ne(trials.id, id));
	return db.select({ id: trials.id }).from(trials).where(isOther).all().length;
}

/** Keeps the expectations that name a criterion of the rubric. Returns null when none does. */
export function expectedOf(expected: Expected, criteria: readonly { readonly name: string }[]): Expected | null {
	const known = Object.entries(expected).filter(([name]) => criteria.some((criterion) => criterion.name === name));
	return known.length === 0 ? null : Object.fromEntries(known);
}
