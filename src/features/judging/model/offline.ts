// The judge of development and tests: one of the implementations of ports/judge.ts.
import { roundScore } from "../../../domain/scores.ts";
import type { Evidence, Judge, JudgedFile, JudgeRequest, Verdict } from "../../../ports/judge.ts";

const OFFLINE = "Offline judge (development and tests only)";
const MAX_EVIDENCE = 3;
const MAX_QUOTE_LENGTH = 160;
/** Shares of the score: what the work shows, what its documents claim, and whether SUBMISSION.md is whole. */
const WORK_SHARE = 0.75;
const CLAIM_SHARE = 0.1;
const SECTIONS_SHARE = 0.15;
const SECTIONS = 6;

const STOP_WORDS = new Set(
	"a about above after all also an and any are as at be been but by can could do does each every for from had has have how if in into is it its more most must no not of on only or other our out over should so some such than that the their them then there these they this those to under up use used uses using very was well were what when where which while who will with works would you your".split(
		" ",
	),
);

/**
 * Scores only from the files, without a model: how many of a criterion's words occur in the work.
 * Deterministic, so tests can rely on it, and honest in every reasoning about what it is.
 */
export const offlineJudge: Judge = {
	name: "offline",
	models: [],
	promptVersion: "offline-2",
	judgeCriterion: (request) => Promise.resolve(judgeOffline(request)),
};

function judgeOffline({ criterion, files, missingSections, samples = 1 }: JudgeRequest): Verdict {
	const words = keywordsOf(`${criterion.name} ${criterion.description ?? ""}`);
	// For a criterion that documents can prove, they count as work.
	const work = files.filter((file) => criterion.evidence === "any" || !file.isClaim);
	const claims = files.filter((file) => file.isClaim);
	const shown = words.filter((word) => work.some((file) => findLine(file, word) !== null));
	const claimed = words.filter((word) => claims.some((file) => findLine(file, word) !== null));
	const sections = (SECTIONS - missingSections.length) / SECTIONS;
	const share = (part: readonly string[]) => (words.length === 0 ? 0 : part.length / words.length);
	const score = roundScore(100 * (WORK_SHARE * share(shown) + CLAIM_SHARE * share(claimed) + SECTIONS_SHARE * sections));
	return {
		score,
		reasoning: explain({ words, shown, claimed, missingSections }),
		evidence: quote(work, shown),
		samples: Array.from({ length: samples }, () => {
			return { model: offlineJudge.name, level: null, score, isInjectionSuspected: false, isCapped: false };
		}),
		cutFiles: [],
		strippedCharacters: 0,
	};
}

function keywordsOf(text: string): string[] {
	const words = text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
	return [...new Set(words.filter((word) => !STOP_WORDS.has(word)).map(stem))];
}

/** Cuts the commonest English endings, so that "tests" in a rubric finds "test" in the code. */
function stem(word: string): string {
	return word.length > 5 ? word.replace(/(ations?|ing|ed|es|s)$/u, "") : word;
}

function findLine(file: JudgedFile, word: string): number | null {
	const lowered = file.text.toLowerCase();
	const at = lowered.indexOf(word);
	return at === -1 ? null : lowered.slice(0, at).split("\n").length;
}

function quote(work: readonly JudgedFile[], words: readonly string[]): Evidence[] {
	// By place, because several words are often in one line.
	const quotes = new Map<string, Evidence>();
	for (const word of words) {
		const file = work.find((candidate) => findLine(candidate, word) !== null);
		const line = file === undefined ? null : findLine(file, word);
		if (file === undefined || line === null) continue;
		const text = file.text.split("\n")[line - 1]?.trim().slice(0, MAX_QUOTE_LENGTH) ?? "";
		quotes.set(`${line} ${file.path}`, { path: file.path, start: line, end: line, quote: text });
		if (quotes.size === MAX_EVIDENCE) break;
	}
	return [...quotes.values()];
}

interface Findings {
	readonly words: readonly string[];
	readonly shown: readonly string[];
	readonly claimed: readonly string[];
	readonly missingSections: readonly string[];
}

function explain({ words, shown, claimed, missingSections }: Findings): string {
	const absent = words.filter((word) => !shown.includes(word));
	return [
		`${OFFLINE}: no model has read this.`,
		`${shown.length} of ${words.length} words of the criterion occur in the work, ${claimed.length} in its documents.`,
		...(absent.length === 0 ? [] : [`Not found in the work: ${absent.slice(0, 12).join(", ")}.`]),
		...(missingSections.length === 0 ? [] : [`SUBMISSION.md lacks: ${missingSections.join(", ")}.`]),
	].join(" ");
}
