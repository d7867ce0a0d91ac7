// The object keeps the judgements of a final round until its order is decided. No one reads them before.

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
	/** It has the further samples only. */
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

/** The object has written it itself. */
const storedJudgement = z.custom<Judgement>((value) => typeof value === "object" && value !== null);

function readKept({ db }: TaskStore, kept: KeptAs): Judgement | null {
	const parts = db.select().from(roundJudgements).where(isKept(kept)).orderBy(asc(roundJudgements.part)).all();
	return parts.length === 0 ? null : storedJudgement.parse(JSON.parse(parts.map(({ text }) => text).join("")));
}

/** Returns the judgement of a candidate with all its samples so far. Returns null before its first ones. */
export function readJudgement(
	task: TaskStore,
	submissionId: string,
	weights: { readonly testWeight: number; readonly llmWeight: number },
): Judgement | null {
	const first = readFirst(task, submissionId);
	const further = readKept(task, { submissionId, isFurther: true });
	return first === null || further === null ? first : joinSamples(first, further, weights);
}

/** Returns the judgement with the first samples of a candidate. Further ones must come from the same judge. */
export function readFirst(task: TaskStore, submissionId: string): Judgement | null {
	return readKept(task, { submissionId, isFurther: false });
}

/** Erases what the judgements of a submission quote of its files. Its scores stay. */
export function eraseTexts(task: TaskStore, submissionId: string): void {
	for (const isFurther of [false, true]) {
		const judgement = readKept(task, { submissionId, isFurther });
		if (judgement !== null) keepJudgement(task, { submissionId, isFurther }, withoutTexts(judgement));
	}
}

/** Forgets the further samples of all candidates. */
export function forgetFurther({ db }: TaskStore): void {
	db.delete(roundJudgements).where(eq(roundJudgements.isFurther, true)).run();
}

export function forgetJudgements({ db }: TaskStore): void {
	db.delete(roundJudgements).run();
}
