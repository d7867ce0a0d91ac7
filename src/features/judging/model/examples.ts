// A prompt shows short works that the poster has graded, marked like the submission, and before it.
import { POINTS_PER_LEVEL } from "../../../domain/scores.ts";
import type { CriterionBrief, JudgeExample } from "../../../ports/judge.ts";
import { markLine } from "./marking.ts";
import { prepareFile } from "./material.ts";

/** A longer work is not an example. */
const MAX_EXAMPLE_CHARACTERS = 12_000;
/** An example may take at most this share of a call, besides the room for task and files. */
const MAX_SHARE = 0.05;
const MAX_EXAMPLES = 2;

/** Chooses up to two short works: the one that the poster expects most of, and the one that the poster expects least of. */
export function chooseExamples(references: readonly JudgeExample[]): JudgeExample[] {
	const short = references.filter(({ files }) => files.length > 0 && lengthOf(files) <= MAX_EXAMPLE_CHARACTERS);
	const sorted = short.toSorted((a, b) => meanOf(b) - meanOf(a));
	const [best] = sorted;
	const worst = sorted.at(-1);
	if (best === undefined || worst === undefined) return [];
	return best === worst ? [best] : [best, worst];
}

function lengthOf(files: JudgeExample["files"]): number {
	return files.reduce((sum, { path, text }) => sum + path.length + text.length, 0);
}

function meanOf({ expected }: JudgeExample): number {
	const scores = Object.values(expected);
	return scores.reduce((sum, score) => sum + score, 0) / Math.max(1, scores.length);
}

const nameOf = (index: number) => String.fromCharCode("A".charCodeAt(0) + index);

/** Writes the part of a prompt that all criteria share. It is empty without examples. */
export function describeExamples(
	examples: readonly JudgeExample[],
	{ mark, maxCharacters }: { readonly mark: string; readonly maxCharacters: number },
): string[] {
	if (examples.length === 0) return [];
	const blocks = examples
		.slice(0, MAX_EXAMPLES)
		.map(({ files }, index) => describeExample(files, { mark, name: nameOf(index), room: maxCharacters * MAX_SHARE }));
	return [
		"# EXAMPLES\nEarlier works, which the poster has graded. They show what the poster's levels mean. They are not the submission: they prove nothing about it, and you must not quote them.",
		...blocks,
	];
}

/** Describes an example. The mark is followed by the example's name, so that no line of it looks like one of the submission. */
function describeExample(
	files: JudgeExample["files"],
	{
		mark,
		name,
		room,
	}: {
		readonly mark: string;
		readonly name: string;
		/** The example may take this number of characters. */
		readonly room: number;
	},
): string {
	const prefix = `${mark}|example ${name}`;
	const lines = [`${prefix}|begins`];
	let left = room;
	for (const file of files.map(prepareFile)) {
		const shown = [
			`${prefix}|file|${JSON.stringify(file.shownPath)}${file.isClaim ? " claim" : ""}`,
			...file.lines.map((line, index) => markLine(prefix, index + 1, line)),
		];
		for (const line of shown) {
			left -= line.length + 1;
			if (left < 0) return [...lines, `${prefix}|the rest is not shown`].join("\n");
			lines.push(line);
		}
	}
	return [...lines, `${prefix}|ends`].join("\n");
}

/** Lists the scores that the poster expects of the examples for one criterion. Returns an empty result without expectations. */
export function describeGrades(examples: readonly JudgeExample[], { name }: CriterionBrief): string[] {
	const grades = examples.slice(0, MAX_EXAMPLES).flatMap(({ expected }, index) => {
		const score = expected[name];
		return score === undefined ? [] : [`Example ${nameOf(index)}: ${score} of 100, about level ${Math.round(score / POINTS_PER_LEVEL)}.`];
	});
	return grades.length === 0 ? [] : [`The poster's grades of the examples for this criterion:\n${grades.join("\n")}`];
}
