// Stores the judgements of a final round until its order is decided. No one can read them before that.

import { and, asc, eq } from "drizzle-orm";
import * as z from "zod";
import { withoutTexts } from "../../core/competition/judgements/evaluations.ts";
import { splitText } from "../../core/competition/judgements/report.ts";
import { roundJudgements } from "../../db/task/schema/final-round.ts";
import type { Judgement } from "../../ports/judgement.ts";
import type { TaskStore } from "../../ports/task.ts";
import { joinSamples } from "./join-samples.ts";

interface KeptAs {
	readonly submissionId: string;
	/** True if the judgement contains only the extra samples. */
	readonly isFurther: boolean;
}

export function keepJudgement({ db }: TaskStore, { submissionId, isFurther }: KeptAs, judgement: Judgement): void {
	db.delete(roundJudgements).where(isKept({ submissionId, isFurther })).run();
	for (const [part, text] of splitText(JSON.stringify(judgement)).entries()) {
		db.insert(roundJudgements).values({ submissionId, isFurther, part, text }).run();
	}
}

function isKept({ submissionId, isFurther }: KeptAs) {
	return and(eq(roundJudgements.submissionId, submissionId), eq(roundJudgements.isFurther, isFurther));
}

/** A stored judgement is not validated, because the object wrote it itself. */
const storedJudgement = z.custom<Judgement>((value) => typeof value === "object" && value !== null);

function readKept({ db }: TaskStore, kept: KeptAs): Judgement | null {
	const parts = db.select().from(roundJudgements).where(isKept(kept)).orderBy(asc(roundJudgements.part)).all();
	return parts.length === 0 ? null : storedJudgement.parse(JSON.parse(parts.map(({ text }) => text).join("")));
}

/** Returns a candidate's judgement with all samples so far, or null if there are none. */
export function readJudgement(
	task: TaskStore,
	submissionId: string,
	weights: { readonly testWeight: number; readonly llmWeight: number },
): Judgement | null {
	const first = readFirst(task, submissionId);
	const further = readKept(task, { submissionId, isFurther: true });
	return first === null || further === null ? first : joinSamples(first, further, weights);
}

/** Returns the judgement with a candidate's first samples, or null if there is none. */
export function readFirst(task: TaskStore, submissionId: string): Judgement | null {
	return readKept(task, { submissionId, isFurther: false });
}

/** Erases the judge's texts, which quote the files, from a submission's judgements. Scores stay. */
export function eraseTexts(task: TaskStore, submissionId: string): void {
	for (const isFurther of [false, true]) {
		const judgement = readKept(task, { submissionId, isFurther });
		if (judgement !== null) keepJudgement(task, { submissionId, isFurther }, withoutTexts(judgement));
	}
}

/** Deletes the extra samples of all candidates. */
export function forgetFurther({ db }: TaskStore): void {
	db.delete(roundJudgements).where(eq(roundJudgements.isFurther, true)).run();
}

export function forgetJudgements({ db }: TaskStore): void {
	db.delete(roundJudgements).run();
}
