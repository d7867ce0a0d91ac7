// Finds text of the submission's files in a judge's reply, because some readers of the reply may not see the files. A model may repeat
// files by accident, or because text in the files asks for it.
import type { JudgedFile } from "../../../ports/judge.ts";
import { prepareFile } from "../engine/material.ts";

/** A shorter passage may be a common expression. White space does not count. */
const PASSAGE_LENGTH = 24;
/**
 * Files are divided into steps of this length, each of which is looked up in the reply. A passage of twice this length contains a whole
 * step.
 */
const STEP = 12;
/**
 * If a step occurs more often than this in the reply or in the files, only its first places are compared. Otherwise, comparing text that
 * repeats one letter would take minutes.
 */
const MAX_PLACES = 64;

/** The texts of a judge's reply. */
interface JudgeTexts {
	readonly reasoning: string;
	readonly gaps: readonly string[];
}

/** Returns true if a reply repeats a passage of the files. Joins the reply's texts first, because a passage can be split among them. */
export function repeatsFiles(reply: JudgeTexts, files: readonly JudgedFile[]): boolean {
	return !findRepeated(reply, files).next().done;
}

/** Yields the passages that a reply and the files have in common, without white space. */
function* findRepeated({ reasoning, gaps }: JudgeTexts, files: readonly JudgedFile[]): Generator<string, void> {
	const reply = fold([reasoning, ...gaps].join(""));
	const places = Map.groupBy(
		Array.from({ length: Math.max(0, reply.length - STEP + 1) }, (_, at) => at),
		(at) => reply.slice(at, at + STEP),
	);
	const compared = new Map<string, number>();
	for (const { source, at, step } of stepsOf(files)) {
		const times = compared.get(step) ?? 0;
		if (times === MAX_PLACES) continue;
		compared.set(step, times + 1);
		for (const place of (places.get(step) ?? []).slice(0, MAX_PLACES)) {
			const passage = passageAround({ text: reply, at: place }, { text: source, at });
			if (passage.length >= PASSAGE_LENGTH) yield passage;
		}
	}
}

function* stepsOf(files: readonly JudgedFile[]): Generator<{ readonly source: string; readonly at: number; readonly step: string }, void> {
	for (const source of files.map(foldFile)) {
		for (let at = 0; at + STEP <= source.length; at += STEP) yield { source, at, step: source.slice(at, at + STEP) };
	}
}

interface Place {
	readonly text: string;
	readonly at: number;
}

/** Returns the longest passage that both texts have in common around two places. */
function passageAround(a: Place, b: Place): string {
	let from = 0;
	while (from < Math.min(a.at, b.at) && a.text[a.at - from - 1] === b.text[b.at - from - 1]) from += 1;
	let to = STEP;
	while (a.at + to < a.text.length && a.text[a.at + to] === b.text[b.at + to]) to += 1;
	return a.text.slice(a.at - from, a.at + to);
}

function fold(text: string): string {
	return text.replace(/\s+/gu, "");
}

const folded = new WeakMap<JudgedFile, string>();

function foldFile(file: JudgedFile): string {
	const cached = folded.get(file) ?? fold(prepareFile(file).lines.join(""));
	folded.set(file, cached);
	return cached;
}
