// Development and tests use this judge, which asks no model.
import type { CheckFinding } from "../../../domain/anchors.ts";
import { roundScore } from "../../../domain/scores.ts";
import type { Evidence, Judge, JudgeRequest, Verdict, WorkFile } from "../../../ports/judge.ts";
import { isGenerated } from "../artifacts/kinds.ts";
import { amountOf, readWorkLines, WordSearch, type WorkLine } from "./shown-words.ts";

const OFFLINE = "Offline judge (development and tests only)";
const MAX_EVIDENCE = 3;
const MAX_QUOTE_LENGTH = 160;
const MAX_LISTED_WORDS = 12;
/**
 * The score has three shares: the words of the checks that the work shows, how much work there is, and whether SUBMISSION.md is whole.
 * Documents that repeat the rubric give nothing, because then a worse work could beat a better one by its words.
 */
const WORDS_SHARE = 0.55;
const AMOUNT_SHARE = 0.35;
const SECTIONS_SHARE = 0.1;
const SECTIONS = 6;

const STOP_WORDS = new Set(
	"a about above after all also an and any are as at be been but by can could do does each every for from had has have how if in into is it its more most must no not of on only or other our out over should so some such than that the their them then there these they this those to under up use used uses using very was well were what when where which while who will with works would you your".split(
		" ",
	),
);

/**
 * Scores without a model, by the words of each check that the work shows, and by the amount of work. It is deterministic, so tests can rely
 * on it, and every reasoning says that no model has read the work.
 */
export const offlineJudge: Judge = {
	name: "offline",
	models: [],
	promptVersion: "offline-4",
	judgeCriterion: (request) => Promise.resolve(judgeOffline(request)),
	compareOnCriterion({ works, turn: _, ...request }) {
		const [first, second] = works.map((work) => judgeOffline({ ...request, ...work, missingSections: [] }).score);
		const difference = (first ?? 0) - (second ?? 0);
		return Promise.resolve({ model: "offline", preferred: difference === 0 ? "neither" : difference > 0 ? "first" : "second" });
	},
};

function judgeOffline({ criterion, files, missingSections, samples = 1 }: JudgeRequest): Verdict {
	// Documents can prove some criteria. For these, they count as work.
	const work = files.filter((file) => !isGenerated(file.path) && (criterion.evidence === "any" || !file.isClaim));
	const claims = files.filter((file) => file.isClaim);
	const texts = criterion.checks.length > 0 ? criterion.checks : [`${criterion.name} ${criterion.description ?? ""}`];
	const search = new WordSearch(texts.flatMap(keywordsOf));
	const [shownIn, claimedIn] = [findWords(work, search), findWords(claims, search)];
	const answers = texts.map((check) => answerCheck(check, { shownIn, claimedIn }));
	const shown =
		answers.reduce((sum, { words, shown: found }) => sum + (words.length === 0 ? 0 : found.length / words.length), 0) / answers.length;
	const sections = (SECTIONS - missingSections.length) / SECTIONS;
	const score = roundScore(100 * (WORDS_SHARE * shown + AMOUNT_SHARE * amountOf(work, search) + SECTIONS_SHARE * sections));
	return {
		score,
		reasoning: explain(answers, missingSections),
		evidence: quoteLines(answers.flatMap((answer) => answer.shown.flatMap((word) => shownIn.get(word) ?? []))),
		checks: criterion.checks.length > 0 ? answers.map(({ check, found }) => ({ check, found })) : [],
		gaps: answers.flatMap(({ check, found, words, shown: some }) =>
			found === "yes" ? [] : [describeGap(check, absentOf({ check, words, shown: some }))],
		),
		samples: Array.from({ length: samples }, () => {
			return { model: offlineJudge.name, level: null, score, isInjectionSuspected: false, isCapped: false };
		}),
		cutFiles: [],
		strippedCharacters: 0,
	};
}

interface WordPlace {
	readonly file: WorkFile;
	readonly line: WorkLine;
}

/** Finds the first line that shows each word. */
function findWords(files: readonly WorkFile[], search: WordSearch): ReadonlyMap<string, WordPlace> {
	const places = new Map<string, WordPlace>();
	for (const file of files) {
		for (const line of readWorkLines(file)) {
			if (search.isList(line, { isProse: file.isClaim })) continue;
			for (const word of search.wordsOf(line)) if (!places.has(word)) places.set(word, { file, line });
		}
	}
	return places;
}

/** A check is answered by its words and where they occur. */
interface CheckWords {
	readonly check: string;
	readonly found: CheckFinding;
	readonly words: readonly string[];
	/** The work shows these words. */
	readonly shown: readonly string[];
	/** These words occur in its documents. */
	readonly claimed: readonly string[];
}

/** Answers a check. It is found if the work shows all of its words, and partly if it shows some. */
function answerCheck(
	check: string,
	{ shownIn, claimedIn }: { readonly shownIn: ReadonlyMap<string, WordPlace>; readonly claimedIn: ReadonlyMap<string, WordPlace> },
): CheckWords {
	const words = keywordsOf(check);
	const shown = words.filter((word) => shownIn.has(word));
	const claimed = words.filter((word) => claimedIn.has(word));
	const found = shown.length === 0 ? "no" : shown.length === words.length ? "yes" : "partly";
	return { check, found, words, shown, claimed };
}

/** Returns the words as the check has them, because their stems are not for people. */
function absentOf({ check, words, shown }: Pick<CheckWords, "check" | "words" | "shown">): string[] {
	const written = new Map(listWords(check).map((word) => [stem(word), word]));
	return words.filter((word) => !shown.includes(word)).map((word) => written.get(word) ?? word);
}

function describeGap(check: string, absent: readonly string[]): string {
	return `${check}: ${absent.length === 0 ? "the check has no words to look for" : `not found: ${absent.slice(0, MAX_LISTED_WORDS).join(", ")}`}`;
}

function keywordsOf(text: string): string[] {
	return [...new Set(listWords(text).map(stem))];
}

function listWords(text: string): string[] {
	const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
	return words.filter((word) => !STOP_WORDS.has(word));
}

/** Cuts the commonest English endings, so that "tests" in a rubric finds "test" in the code. */
function stem(word: string): string {
	return word.length > 5 ? word.replace(/(ations?|ing|ed|es|s)$/u, "") : word;
}

function quoteLines(places: readonly WordPlace[]): Evidence[] {
	// A line is quoted once, although it often shows several words.
	const quotes = new Map<string, Evidence>();
	for (const { file, line } of places) {
		const text = file.text.split("\n")[line.number - 1]?.trim().slice(0, MAX_QUOTE_LENGTH) ?? "";
		quotes.set(`${line.number} ${file.path}`, { path: file.path, start: line.number, end: line.number, quote: text });
		if (quotes.size === MAX_EVIDENCE) break;
	}
	return [...quotes.values()];
}

function explain(answers: readonly CheckWords[], missingSections: readonly string[]): string {
	const count = (wordsOf: (answer: CheckWords) => readonly string[]) => new Set(answers.flatMap(wordsOf)).size;
	const absent = [...new Set(answers.flatMap(absentOf))];
	return [
		`${OFFLINE}: no model has read this.`,
		`${count(({ shown }) => shown)} of ${count(({ words }) => words)} words of the criterion occur in the work, ${count(({ claimed }) => claimed)} in its documents.`,
		...(absent.length === 0 ? [] : [`Not found in the work: ${absent.slice(0, MAX_LISTED_WORDS).join(", ")}.`]),
		...(missingSections.length === 0 ? [] : [`SUBMISSION.md lacks: ${missingSections.join(", ")}.`]),
	].join(" ");
}
