// A judge for development and tests that uses no model. It answers each check by comparing words, and its reasoning says so.
import { type CheckSample, type Finding, sampleScore } from "../../../domain/checks.ts";
import type {
	CheckVerdict,
	CriterionBrief,
	CriterionJudgement,
	EvaluationRequest,
	Judge,
	JudgedFile,
	Quote,
} from "../../../ports/judge.ts";
import { isClaimFile, isGenerated } from "../artifacts/paths.ts";
import { cutText } from "./marking.ts";
import { prepareFile } from "./material.ts";

const NAME = "offline";
const SENTENCE = "Offline judge (development and tests only): no model has read this.";
const MAX_QUOTE_LENGTH = 160;

export const offlineJudge: Judge = {
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
		cutFiles: [],
		strippedCharacters: request.files.reduce((sum, file) => sum + prepareFile(file).removed, 0),
		quotes: { claimed: answered, real: answered },
	};
}

function judgeCriterion(criterion: CriterionBrief, { files, samples }: EvaluationRequest): CriterionJudgement {
	const work = files.filter(({ path }) => !isGenerated(path) && (criterion.evidence === "any" || !isClaimFile(path)));
	const rows = work.flatMap((file) => readRows(file, criterion.checks));
	const answers = criterion.checks.map((check) => answerCheck(check, rows));
	const findings = answers.map((answer) => answer.verdict.found);
	const sample: CheckSample = { model: NAME, found: findings, score: sampleScore(findings) };
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

/** Returns the meaningful words of a text without common English endings, so that "tests" and "test" are the same. */
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

interface Row {
	readonly file: JudgedFile;
	/** From 1. */
	readonly number: number;
	readonly text: string;
	readonly words: readonly string[];
	/** True if the line can prove something: code that does more than assign a constant, or prose with at least five meaningful words. */
	readonly isWork: boolean;
}

const PROSE = /\.(?:md|mdx|txt|rst|adoc|tex|html?)$/i;
const COMMENT = /^\s*(?:\/\/|\/\*|\*(?:\s|\/|$)|#(?!!|include|define)|--\s|<!--|;|"""|''')/;
const INLINE_COMMENT = /\s(?:\/\/|#)\s.*$/s;
/**
 * Also matches escapes outside of quotes. Otherwise, the search would start at each of many escaped quotes and read to the end every time.
 */
const QUOTED = /\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/gs;
/**
 * Matches lines that do nothing, such as a function without a body or an assignment of a constant. They prove nothing, because anyone can
 * write one for each word of a rubric. The line must not end in white space.
 */
const IDLE =
	/^\s*(?:export |public |private |static |async |default )*(?:(?:function|def|class|fn|func)\b[^\n{}]*(?:\{\s*(?:return\b[^;{}()]*(?:;\s*)?)?\}|:\s*(?:pass|\.\.\.|return(?:\s+(?:None|True|False))?)$)|(?:(?:const|let|var|final)\s+)?[\w$]+\s*=\s*(?:[\w.'"+-]+|\[\]|\{\})\s*;?$|pass$|\.\.\.$)/;
const SIGNS = /[^\p{L}\p{M}\p{N}\s_.,'"-]/u;
const MIN_PROSE_WORDS = 5;
/**
 * If at least this share of a line's words are from the checks, the line only repeats them. For prose, the share is larger, because prose
 * has fewer words of its own.
 */
const REPEATING_SHARE = 0.6;
const REPEATING_PROSE = 0.75;
const MIN_REPEATED_WORDS = 3;

function readRows(file: JudgedFile, checks: readonly string[]): Row[] {
	const isProse = PROSE.test(file.path);
	const checkWords = [...new Set(checks.flatMap(wordsOf))];
	const { lines } = prepareFile(file);
	let isInText = false;
	return lines.flatMap((text, index): Row[] => {
		const isComment = !isProse && (isInText || COMMENT.test(text));
		if ((text.match(LONG_TEXT)?.length ?? 0) % 2 === 1) isInText = !isInText;
		if (isComment || isRepetition(text, { asked: checkWords, isProse }) || (!isProse && isStub(lines, index))) return [];
		const row = isProse ? readProse(text) : readCode(text);
		return row.words.length === 0 ? [] : [{ file, number: index + 1, text, ...row }];
	});
}

function readProse(text: string): Pick<Row, "words" | "isWork"> {
	const words = wordsOf(text);
	return { words: [...new Set(words)], isWork: words.length >= MIN_PROSE_WORDS };
}

function readCode(text: string): Pick<Row, "words" | "isWork"> {
	const plain = text.replace(INLINE_COMMENT, "");
	const code = plain.replace(QUOTED, (match) => (match.startsWith("\\") ? match : '""'));
	const words = wordsOf(code.length >= MIN_CODE_SHARE * plain.length ? plain : code);
	return { words: [...new Set(words)], isWork: SIGNS.test(plain) && !IDLE.test(plain.trimEnd()) };
}

const LONG_TEXT = /"""|'''/g;
/** If less than this share of a line is code, the line is mostly quoted text and does little. */
const MIN_CODE_SHARE = 0.3;
const OPENING = /[:{]\s*$/;
const EMPTY_BODY = /^\s*(?:pass|\.\.\.|\}\)?;?|return(?:\s+(?:None|True|False|null|undefined|true|false))?;?)\s*$/;

/** Returns true if the line is the head of a function with an empty body. */
function isStub(lines: readonly string[], index: number): boolean {
	if (!OPENING.test(lines[index] ?? "")) return false;
	const next = lines.slice(index + 1, index + 4).find((line) => line.trim() !== "" && !COMMENT.test(line));
	return next === undefined || EMPTY_BODY.test(next);
}

/**
 * Returns true if a line nearly repeats the text of the checks, which proves nothing. A line may contain some of their words, as the name
 * of a test does.
 */
function isRepetition(text: string, { asked, isProse }: { readonly asked: readonly string[]; readonly isProse: boolean }): boolean {
	const tokens = new Set((text.match(/[\p{L}\p{N}_]+/gu) ?? []).map(wordsOf).flatMap((words) => (words.length === 1 ? words : [])));
	const repeated = [...tokens].filter((word) => asked.some((one) => isSameWord(one, word))).length;
	return repeated >= MIN_REPEATED_WORDS && repeated >= (isProse ? REPEATING_PROSE : REPEATING_SHARE) * tokens.size;
}

const MIN_COMMON_LETTERS = 4;

/** Returns true if one word begins with the other, because words in other languages have endings that {@link stem} does not know. */
function isSameWord(a: string, b: string): boolean {
	const [short, long] = a.length < b.length ? [a, b] : [b, a];
	return a === b || (short.length >= MIN_COMMON_LETTERS && long.startsWith(short));
}

/** Words in this number of relevant lines before and after a line count as near it. */
const LINES_AROUND = 4;
/** For the answers yes and partly, at least these shares of a check's words must be near one line. */
const YES_SHARE = 0.6;
const PARTLY_SHARE = 0.3;

interface Answer {
	readonly verdict: CheckVerdict;
	/** The words of the check that are not near the best line. */
	readonly absent: readonly string[];
}

/** Answers a check with the place that contains most of its words. The line that contains most of them becomes the quote. */
function answerCheck(check: string, rows: readonly Row[]): Answer {
	const checkWords = [...new Set(wordsOf(check))];
	const best = findPlace(checkWords, rows);
	const share = best === null ? 0 : best.near.size / checkWords.length;
	const finding: Finding = share >= YES_SHARE ? "yes" : share >= PARTLY_SHARE ? "partly" : "no";
	const written = new Map((check.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((word) => wordsOf(word).map((one) => [one, word] as const)));
	return {
		verdict: { check, found: finding, evidence: finding === "no" || best === null ? [] : [quoteOf(best.row)] },
		absent: checkWords.filter((word) => best?.near.has(word) !== true).map((word) => written.get(word) ?? word),
	};
}

interface Place {
	readonly row: Row;
	/** The words of the check that are in the row, in the lines around it, or in the file's path. */
	readonly near: ReadonlySet<string>;
	readonly weight: number;
}

function findPlace(asked: readonly string[], rows: readonly Row[]): Place | null {
	const used = rows.map(({ words }) => findWords(asked, words));
	return rows.reduce<Place | null>((best, row, index) => {
		const own = used[index]?.length ?? 0;
		if (!row.isWork || own === 0) return best;
		// Includes the name of the file, because it says what the lines are about.
		const near = new Set([...wordsNear(rows, used, index), ...findWords(asked, wordsOf(row.file.path))]);
		const weight = near.size + own / (asked.length + 1);
		return weight > (best?.weight ?? 0) ? { weight, row, near } : best;
	}, null);
}

function findWords(asked: readonly string[], words: readonly string[]): string[] {
	return asked.filter((word) => words.some((one) => isSameWord(one, word)));
}

function wordsNear(rows: readonly Row[], used: readonly (readonly string[])[], index: number): string[] {
	const { file } = rows[index] ?? {};
	const from = Math.max(0, index - LINES_AROUND);
	return used.slice(from, index + LINES_AROUND + 1).flatMap((words, at) => (rows[from + at]?.file === file ? words : []));
}

function quoteOf({ file, number, text }: Row): Quote {
	return { path: file.path, start: number, end: number, quote: cutText(text.trim(), MAX_QUOTE_LENGTH) };
}
