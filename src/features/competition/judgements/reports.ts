// The texts of evaluations and dry runs inside a Task object: reasoning, evidence, breakdown, logs.
import { asc, eq } from "drizzle-orm";
import { reports } from "../../../db/task/schema/submissions.ts";
import type { TaskStore } from "../../../ports/task.ts";
import { type EvaluationReport, parseReport } from "./report.ts";

/** A row has at most 2 MB, and a character up to 4 bytes. */
const PART_CHARACTERS = 400_000;

/** Stores the report of an evaluation or a dry run, which has none yet. */
export function writeReport({ db }: TaskStore, subjectId: string, report: EvaluationReport): void {
	for (const [part, text] of splitText(JSON.stringify(report)).entries()) db.insert(reports).values({ subjectId, part, text }).run();
}

/** The report of an evaluation or a dry run; null without one. The caller checks who may see it. */
export function readReport({ db }: Pick<TaskStore, "db">, subjectId: string | null): EvaluationReport | null {
	if (subjectId === null) return null;
	const parts = db.select({ text: reports.text }).from(reports).where(eq(reports.subjectId, subjectId)).orderBy(asc(reports.part)).all();
	return parts.length === 0 ? null : parseReport(parts.map(({ text }) => text).join(""));
}

/** Splits between characters: half of a surrogate pair cannot be stored. */
function splitText(text: string): string[] {
	const parts: string[] = [];
	for (let start = 0; start < text.length; ) {
		const end = start + PART_CHARACTERS;
		const isCut = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
		parts.push(text.slice(start, isCut ? end - 1 : end));
		start = isCut ? end - 1 : end;
	}
	return parts;
}
