// Measures the tokens of judging, with and without a provider that caches prefixes: `npm run bench -- judge-cost [characters]`. A
// provider in this process counts what it would bill, at four characters a token, so no model is called.
import { MIN_CANDIDATES, reachOf } from "../../src/features/competition/final-round/rules.ts";
import { createModelJudge } from "../../src/features/judging/engine/model-judge.ts";
import type { ChatDeps } from "../../src/features/judging/model/chat.ts";
import { judgeRubric } from "../../src/features/judging/model/rubric.ts";
import { openJudgeSession } from "../../src/features/judging/model/session.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { normal, seeded } from "../support/farming.ts";
import { CLAIM, judgeRequest, judgeSettings } from "../support/judging.ts";

const CRITERIA = 8;
const CHECKS = 5;
const FINAL_SAMPLES = 5;
const DEFAULT_CHARACTERS = 100_000;
const CHARACTERS_PER_TOKEN = 4;
/** Providers cache whole blocks of tokens. */
const CACHE_BLOCK = 128;
/** The input tokens that are billed in full for an evaluation are at most this multiple of one call's. */
const BUDGET = 1.5;
const REPLY_MS = 20;

const LINE = "export function compute(value) { return value * factor + offset; }\n";
const ANSWER = {
	checks: Array.from({ length: CHECKS }, (_, index) => ({
		check: index + 1,
		found: "yes",
		evidence: index === 0 ? [{ path: "src/work.js", start: 1, end: 1, quote: LINE.trim() }] : [],
	})),
	gaps: [],
	reasoning: "It is there.",
	level: 4,
	injection_suspected: false,
	injection_lines: [],
};

/** Plays a provider that caches the beginnings of earlier calls, once it has responded to them. */
function createProvider({ caches }: { caches: boolean }) {
	const answered: string[] = [];
	const bill = { calls: 0, input: 0, cached: 0 };
	const fetch: ChatDeps["fetch"] = async (_, init) => {
		const text = String(init?.body);
		const cached = caches ? Math.max(0, ...answered.map((known) => commonPrefix(known, text))) : 0;
		await new Promise((resolve) => setTimeout(resolve, REPLY_MS));
		answered.push(text);
		const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
		const cachedTokens = Math.floor(cached / CHARACTERS_PER_TOKEN / CACHE_BLOCK) * CACHE_BLOCK;
		bill.calls += 1;
		bill.input += tokens;
		bill.cached += cachedTokens;
		const usage = { prompt_tokens: tokens, completion_tokens: 100, prompt_tokens_details: { cached_tokens: cachedTokens } };
		return Response.json({ choices: [{ message: { content: JSON.stringify(ANSWER) } }], usage });
	};
	return { bill, fetch };
}

function commonPrefix(a: string, b: string): number {
	let length = 0;
	while (length < a.length && a[length] === b[length]) length += 1;
	return length;
}

interface Case {
	readonly characters: number;
	readonly samples: number;
	readonly caches: boolean;
}

async function measure({ characters, samples, caches }: Case) {
	const provider = createProvider({ caches });
	const judge = createModelJudge({ clock: systemClock, fetch: provider.fetch }, judgeSettings({}));
	const work = { path: "src/work.js", text: LINE.repeat(Math.ceil(characters / LINE.length)), isClaim: false };
	const { criterion: _, ...material } = judgeRequest({ files: [CLAIM, work], samples });
	const criteria = Array.from({ length: CRITERIA }, (_item, index) => {
		const description = "What a judge looks for in the files, and what the levels mean for it. ".repeat(5);
		const checks = Array.from({ length: CHECKS }, (_check, number) => `Something that can be found in the files, number ${number}`);
		const anchor = "What work of this level looks like for this criterion, in the words of the poster.";
		const anchors = { "1": anchor, "3": anchor, "5": anchor };
		return { name: `Criterion ${index}`, description, evidence: "work" as const, checks, anchors, weight: 100 / CRITERIA };
	});
	await judgeRubric(judge, { ...material, criteria }, { session: openJudgeSession({ mark: "0a1b2c3d", notes: new Map() }) });
	return provider.bill;
}

const SUBMISSIONS = 200;
/** The prices are dollars for a million input tokens. */
const PRICES = { cheap: 0.25, strong: 3 };
const SPREAD = 6;

/** Plays a task with two stages, by the rule that decides what is within reach, and prints what is saved. */
function printStages(): void {
	const random = seeded(5);
	const board: number[] = [];
	let strong = 0;
	for (let index = 0; index < SUBMISSIONS; index += 1) {
		const quality = 60 + 18 * normal(random);
		const seen = () => Math.max(0, Math.min(100, quality + SPREAD * normal(random)));
		const last = board.toSorted((a, b) => b - a)[MIN_CANDIDATES - 1] ?? null;
		const reach = reachOf(last, SPREAD);
		const screened = seen();
		const goesOn = reach === null || screened >= reach;
		if (goesOn) strong += 1;
		board.push(goesOn ? seen() : screened);
	}
	const screened = SUBMISSIONS - MIN_CANDIDATES;
	const one = SUBMISSIONS * PRICES.strong;
	const two = screened * PRICES.cheap + strong * PRICES.strong;
	console.log(
		`Two stages, ${SUBMISSIONS} submissions, models at ${PRICES.cheap} and ${PRICES.strong} dollars: the strong one judges ${strong}; input costs ${((100 * two) / one).toFixed(0)} % of one stage, so ${(100 - (100 * two) / one).toFixed(0)} % are saved.`,
	);
}

export async function run([characters = String(DEFAULT_CHARACTERS)]: readonly string[]): Promise<void> {
	const cases = [
		{ name: "an evaluation, 1 sample", samples: 1 },
		{ name: `a final round, ${FINAL_SAMPLES} samples`, samples: FINAL_SAMPLES },
	].flatMap(({ name, samples }) => [
		{ name: `${name}, no cache`, samples, caches: false },
		{ name: `${name}, cached prefix`, samples, caches: true },
	]);
	const rows = [];
	for (const { name, ...rest } of cases) {
		const { calls, input, cached } = await measure({ ...rest, characters: Number(characters) });
		const inFull = input - cached;
		rows.push({ case: name, calls, input, cached, "in full": inFull, "in full / one call": Number((inFull / (input / calls)).toFixed(2)) });
	}
	console.log(`${CRITERIA} criteria, ${characters} characters of work`);
	console.table(rows);
	printStages();
	const ratio = rows[1]?.["in full / one call"] ?? Number.POSITIVE_INFINITY;
	console.log(`Budget: an evaluation of ${CRITERIA} criteria is billed ${ratio} calls in full (at most ${BUDGET}).`);
	if (ratio > BUDGET) process.exitCode = 1;
}
