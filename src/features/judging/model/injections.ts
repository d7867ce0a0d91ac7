// Finds lines of a submission that address its judge: those that a model reports, or those that a fixed rule finds.
import type { LineRange, WorkFiles } from "../../../ports/judge.ts";
import type { JudgeAnswer } from "./answer.ts";
import { type FileExcerpt, findShown, type LineSet, NAME_LINE } from "./material.ts";

/** A model that obeys could name all the lines that show gaps, so a range is bounded. */
const MAX_LINES_PER_RANGE = 60;
const MAX_FOUND_LINES = 500;
/** At most this number of characters of a line is searched. An order may follow any amount of code, so it is searched from both ends. */
const MAX_SEARCHED_LENGTH = 4_000;
const MAX_SHOWN_LENGTH = 200;

const ADDRESSEE =
	/\b(?:judges?|graders?|evaluators?|reviewers?|assessors?|scorers?|language model|llms?|ai model|assistant|system prompt|system|developer|platform|poster)\b/i;
const ORDER =
	/\b(?:scores?|levels?|ratings?|grades?|marks|points|rubric|criteri(?:on|a)|instructions?|ignore|disregard|override|weights?|verdict|winner|answer|reply|respond)\b|\b(?:prefer|choose|pick|favou?r) (?:this|my|our|submission)\b/i;
/** Such words need no addressee to be suspicious. */
const STRONG =
	/\b(?:level|score|rating|grade)\W{0,3}(?:of\W{0,3})?\d|\bfull (?:marks|score)|\bperfect score|(?:ignore|disregard|forget|override) (?:all |any |the |your |these |those )*(?:previous|above|prior|earlier|rubric|rules|instructions|criteria)|injection_suspected|only (?:answer|reply|respond)|\b(?:prefer|choose|pick|favou?r) (?:this|my|our) (?:submission|work|entry|solution)|\bsubmission [ab] (?:is|wins)\b|(?:answer|reply|respond)\w* only\b|<\|im_(?:start|end)\|>|\[\/?INST\]/i;

/** These are such words in the other languages in which submissions are most often written. */
const STRONG_ELSEWHERE =
	/(?:stufe|punktzahl|niveau|nivel|livello|puntuaci[oó]n|punteggio|уровень|оценк[аиу]|балл[аов]*|レベル|等级|等級|评分|評分|등급|점수)\W{0,3}(?:de|di|von|на|は|を|为|為)?\W{0,3}\d|volle punktzahl|note maximale|puntuaci[oó]n m[aá]xima|максимальн\S{1,3} (?:балл|оценк)|满分|滿分|満点|만점/iu;

/** Returns true if a line speaks to a judge, or of scores as an order would. It takes time that is linear in the length of the line. */
function isSuspicious(line: string): boolean {
	const ends = line.length <= 2 * MAX_SEARCHED_LENGTH ? line : `${line.slice(0, MAX_SEARCHED_LENGTH)} ${line.slice(-MAX_SEARCHED_LENGTH)}`;
	// Letters in full width, in circles or in another script style read as plain ones to a model.
	const text = ends.normalize("NFKC");
	return STRONG.test(text) || STRONG_ELSEWHERE.test(text) || (ADDRESSEE.test(text) && ORDER.test(text));
}

/** Finds at most 500 shown lines that look like orders to a judge, by a fixed rule. */
export function findSuspiciousLines(shown: readonly FileExcerpt[]): LineRange[] {
	const found: LineRange[] = [];
	for (const { file, linesRead } of shown) {
		for (let index = 0; index < linesRead; index += 1) {
			if (!isSuspicious(file.lines[index] ?? "")) continue;
			found.push({ path: file.path, start: index + 1, end: index + 1 });
			if (found.length === MAX_FOUND_LINES) return found;
		}
	}
	return found;
}

/** Finds at most 500 names of files, also of unread ones, that look like orders to a judge, by the same rule. A name counts as line 0. */
export function findSuspiciousNames({ files, unreadPaths }: Pick<WorkFiles, "files" | "unreadPaths">): LineRange[] {
	return [...files.map(({ path }) => path), ...unreadPaths]
		.filter((path) => isSuspicious(path) || isSuspicious(path.replace(NAME_SEPARATORS, " ")))
		.slice(0, MAX_FOUND_LINES)
		.map((path) => ({ path, start: NAME_LINE, end: NAME_LINE }));
}

/** Names have these between their words. A dot before the ending is one of them. */
const NAME_SEPARATORS = /[\s_./-]+|(?<=\p{Ll})(?=\p{Lu})/gu;

export function isSuspected({ injection_suspected, injection_lines }: JudgeAnswer): boolean {
	return injection_suspected || injection_lines.length > 0;
}

/** Returns the lines that a model reports, as far as they exist; when it suspects an injection and names none, those of the fixed rule. */
export function flaggedLines(answer: JudgeAnswer, shown: readonly FileExcerpt[]): LineRange[] {
	if (!isSuspected(answer)) return [];
	const named = shownLines(answer.injection_lines, shown);
	return named.length > 0 ? named : findSuspiciousLines(shown);
}

/** Returns the lines that a model names, as far as they were shown. */
export function shownLines(named: readonly LineRange[], shown: readonly FileExcerpt[]): LineRange[] {
	return named.flatMap(({ path, start, end }) => {
		const first = Math.max(1, start);
		return findShown(shown, path).flatMap(({ file, linesRead }) => {
			const last = Math.min(end, linesRead, first + MAX_LINES_PER_RANGE - 1);
			return first <= last ? [{ path: file.path, start: first, end: last }] : [];
		});
	});
}

/** Joins lines to ranges, each line once, in the order of files and lines. */
export function toRanges(lines: LineSet): LineRange[] {
	return [...lines].flatMap(([path, numbers]) => {
		const ranges: { path: string; start: number; end: number }[] = [];
		for (const number of [...numbers].toSorted((a, b) => a - b)) {
			const last = ranges.at(-1);
			if (last?.end === number - 1) last.end = number;
			else ranges.push({ path, start: number, end: number });
		}
		return ranges;
	});
}

/** Adds the beginning of its text to each range, because a person reviews them. */
export function quoteRanges(ranges: readonly LineRange[], textOf: (path: string) => readonly string[]): (LineRange & { text: string })[] {
	return ranges.map((range) => ({ ...range, text: (textOf(range.path)[range.start - 1] ?? "").trim().slice(0, MAX_SHOWN_LENGTH) }));
}
