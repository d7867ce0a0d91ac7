// Development and tests use this judge, which asks no model. It answers each check by its words, and says what it is.
import { type CheckSample, type Finding, sampleScore } from "../../../domain/checks.ts";
import type {
	CheckJudge,
	CheckVerdict,
	CriterionBrief,
	CriterionJudgement,
	EvaluationRequest,
	JudgedFile,
	Quote,
} from "../../../ports/check-judge.ts";
import { isGenerated } from "../artifacts/kinds.ts";
import { isClaimFile, prepareFile } from "./material.ts";

const NAME = "offline";
const SENTENCE = "Offline judge (development and tests only): no model has read this.";
const MAX_QUOTE_LENGTH = 160;

export const offlineCheckJudge: CheckJudge = {
	name: NAME,
	models: [],
	confirmer: null,
	promptVersion: "offline-checks-1",
	temperature: null,
	estimate: () => ({ calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, costMicroUsd: 0 }),
	evaluate: (request) => Promise.resolve({ kind: "finished", judgement: judgeOffline(request) }),
	proposeChecks: () => Promise.resolve(null),
	findWholeChecks: (criteria) => Promise.resolve(criteria.map(() => [])),
};

function judgeOffline(request: EvaluationRequest) {
	const criteria = request.criteria.map((criterion) => judgeCriterion(criterion, request));
	const answered = criteria.flatMap(({ checks }) => checks).filter(({ evidence }) => evidence.length > 0).length;
	return {
		criteria,
		models: [],
		confirmedBy: null,
		cutFiles: [],
		strippedCharacters: request.files.reduce((sum, file) => sum + prepareFile(file).removed, 0),
		quotes: { claimed: answered, real: answered },
	};
}

function judgeCriterion(criterion: CriterionBrief, { files, samples }: EvaluationRequest): CriterionJudgement {
	const work = files.filter(({ path }) => !isGenerated(path) && (criterion.evidence === "any" || !isClaimFile(path)));
	const rows = work.flatMap((file) => readRows(file, criterion.checks));
	const answers = criterion.checks.map((check) => answerCheck(check, rows));
	const found = answers.map((answer) => answer.verdict.found);
	const sample: CheckSample = { model: NAME, found, score: sampleScore(found) };
	return {
		name: criterion.name,
		score: sample.score,
		checks: answers.map(({ verdict }) => verdict),
		samples: Array.from({ length: samples }, () => sample),
		gaps: answers.flatMap(({ verdict, absent }) =>
			verdict.found === "yes"
				? []
				: [`${verdict.check}: ${absent.length === 0 ? "not shown in one place" : `not found: ${absent.join(", ")}`}`],
		),
		reasoning: `${SENTENCE} ${answers.map(({ verdict }, index) => `Check ${index + 1}: ${verdict.found}.`).join(" ")}`,
		isInjectionSuspected: false,
	};
}

const STOP_WORDS = new Set(
	"a about above after all also an and any are as at be been but by can could do does each every for from had has have how if in into is it its more most must no not of on only or other our out over should so some such than that the their them then there these they this those to under up use used uses using very was well were what when where which while who will with works would you your".split(
		" ",
	),
);

/** Returns the words of a text that mean something, cut at their commonest English endings, so that "tests" finds "test". */
function wordsOf(text: string): string[] {
	const parts = text.match(/\p{Lu}?\p{Ll}+|\p{Lu}+(?!\p{Ll})|\p{Lo}+|\p{N}+/gu) ?? [];
	return parts
		.map((part) => part.toLowerCase())
		.filter((word) => word.length > 2 && !STOP_WORDS.has(word))
		.map(stem);
}

function stem(word: string): string {
	return word.length > 4 ? word.replace(/(?:ations?|ing|ers?|ied|ies|ed|es|s|ly)$/u, "") : word;
}

/** A line of work, with the words that it uses. Words that it only says, in a comment or as a text, count for less. */
interface Row {
	readonly file: JudgedFile;
	/** It counts from 1. */
	readonly number: number;
	readonly text: string;
	readonly words: ReadonlySet<string>;
	readonly said: ReadonlySet<string>;
	/** The line does something: it is neither empty nor only a comment, a name or a stub. */
	readonly isWork: boolean;
}

const PROSE = /\.(?:md|mdx|txt|rst|adoc|tex|html?)$/i;
const COMMENT = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!!|include|define)|--\s|<!--|;|"""|''')/;
const INLINE_COMMENT = /\s(?:\/\/|#)\s.*$/;
const QUOTED = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
/** Anyone can write a function without a body, or a name for a fixed value, for each word of a rubric. */
const IDLE =
	/^\s*(?:export |public |private |static |async |default )*(?:(?:function|def|class|fn|func)\b[^\n{}]*(?:\{\s*(?:return\b[^;{}()]*;?\s*)?\}|:\s*(?:pass|\.\.\.|return(?:\s+(?:None|True|False))?)\s*$)|(?:(?:const|let|var|final)\s+)?[\w$]+\s*=\s*(?:[\w.'"+-]+|\[\]|\{\})\s*;?\s*$|pass\s*$|\.\.\.\s*$)/;
const SIGNS = /[^\p{L}\p{M}\p{N}\s_.,'"-]/u;
const MIN_PROSE_WORDS = 5;
/** A line of which so much are a check's own words repeats the check. */
const REPEATING_SHARE = 0.6;
const MIN_REPEATED_WORDS = 3;

function readRows(file: JudgedFile, checks: readonly string[]): Row[] {
	const isProse = PROSE.test(file.path);
	const asked = checks.map((check) => new Set(wordsOf(check)));
	let isInText = false;
	return prepareFile(file).lines.flatMap((text, index): Row[] => {
		const quotes = text.match(/"""|'''/g)?.length ?? 0;
		const isComment = !isProse && (isInText || COMMENT.test(text));
		if (quotes % 2 === 1) isInText = !isInText;
		const plain = isProse ? text : text.replace(INLINE_COMMENT, "");
		const all = wordsOf(plain);
		if (isComment || all.length === 0 || isRepetition(text, { asked, isProse })) return [];
		const own = isProse ? all : wordsOf(plain.replace(QUOTED, '""'));
		const isWork = isProse ? all.length >= MIN_PROSE_WORDS : SIGNS.test(plain) && !IDLE.test(plain);
		return [{ file, number: index + 1, text, words: new Set(own), said: new Set(all), isWork }];
	});
}

/** A line that is nearly the text of a check proves nothing. */
function isRepetition(
	text: string,
	{ asked, isProse }: { readonly asked: readonly ReadonlySet<string>[]; readonly isProse: boolean },
): boolean {
	const words = [...new Set(wordsOf(text))];
	return asked.some((check) => {
		const repeated = words.filter((word) => check.has(word)).length;
		const isMost = repeated >= REPEATING_SHARE * words.length;
		return isMost && repeated >= MIN_REPEATED_WORDS && (isProse || repeated >= REPEATING_SHARE * check.size || !SIGNS.test(text));
	});
}

/** A confirmation sees so many lines around a quote. */
const LINES_AROUND = 4;
/** A check is answered with yes from this share of its words on, and with partly from that one on. */
const YES_SHARE = 0.6;
const PARTLY_SHARE = 0.3;

interface Answer {
	readonly verdict: CheckVerdict;
	/** These words of the check occur nowhere near. */
	readonly absent: readonly string[];
}

/** Looks for the place whose lines use most of a check's words. The line with most of them is the quote. */
function answerCheck(check: string, rows: readonly Row[]): Answer {
	const asked = [...new Set(wordsOf(check))];
	if (asked.length === 0) return { verdict: { check, found: "no", evidence: [] }, absent: [] };
	const askedSet = new Set(asked);
	let best: { readonly share: number; readonly row: Row | null; readonly near: ReadonlySet<string> } = {
		share: 0,
		row: null,
		near: new Set(),
	};
	rows.forEach((row, index) => {
		if (!row.isWork || !asked.some((word) => usesWord(row.said, word))) return;
		const near = wordsNear(rows, index, askedSet);
		// The name of the file says what its lines are about.
		for (const word of wordsOf(row.file.path)) if (askedSet.has(word)) near.add(word);
		const own = asked.filter((word) => usesWord(row.words, word)).length / asked.length;
		const share = near.size / asked.length + own / 100;
		if (share > best.share) best = { share, row, near };
	});
	const found: Finding = best.share >= YES_SHARE ? "yes" : best.share >= PARTLY_SHARE ? "partly" : "no";
	const written = new Map((check.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => wordsOf(word).map((one) => [one, word] as const)));
	return {
		verdict: { check, found, evidence: found === "no" || best.row === null ? [] : [quoteOf(best.row)] },
		absent: asked.filter((word) => !best.near.has(word)).map((word) => written.get(word) ?? word),
	};
}

function usesWord(words: ReadonlySet<string>, word: string): boolean {
	return words.has(word);
}

function wordsNear(rows: readonly Row[], index: number, asked: ReadonlySet<string>): Set<string> {
	const middle = rows[index];
	const near = new Set<string>();
	for (let at = Math.max(0, index - LINES_AROUND); at <= Math.min(rows.length - 1, index + LINES_AROUND); at += 1) {
		const row = rows[at];
		if (row === undefined || row.file !== middle?.file) continue;
		for (const word of row.said) if (asked.has(word)) near.add(word);
	}
	return near;
}

function quoteOf({ file, number, text }: Row): Quote {
	return { path: file.path, start: number, end: number, quote: text.trim().slice(0, MAX_QUOTE_LENGTH) };
}
