// Counts calls and tokens of an evaluation, as a supplier would bill them, against what they may cost.
import { describe, expect, it } from "vitest";
import { estimateEvaluation } from "../../src/core/judging/engine/estimate.ts";
import { createModelJudge } from "../../src/core/judging/engine/model-judge.ts";
import {
	answer,
	criterion,
	engineSettings,
	evaluationRequest,
	failure,
	interruptingServer,
	letTimePass,
	type ModelCall,
	scriptedModel,
} from "../support/scripted-model.ts";

const CHARACTERS_PER_TOKEN = 4;
const CACHED_SHARE = 0.1;

const work = (characters: number) => {
	const lines = Array.from({ length: 20_000 }, (_, line) => `export const value${line} = compute(rows[${line}], "${line % 7}");`);
	const files = Array.from({ length: 50 }, (_, file) => ({
		path: `src/part${file}.ts`,
		text: lines
			.slice(file * 40, file * 40 + 40)
			.join("\n")
			.slice(0, characters / 50),
	}));
	return files;
};

const rubric = (criteria: number) =>
	Array.from({ length: criteria }, (_, index) =>
		criterion(
			`Criterion ${index + 1}`,
			["a", "b", "c", "d"].map((part) => `Part ${part} of ${index + 1} handles an empty file and says so`),
		),
	);

/** Bills calls in reads of the artifact. What a call shares with an earlier one, from the first byte on, is in the supplier's cache. */
function bill(calls: readonly ModelCall[], artifact: number) {
	const seen: string[] = [];
	let [full, cached] = [0, 0];
	for (const { system, user } of calls) {
		const prompt = system + user;
		const shared = Math.max(0, ...seen.map((other) => sharedLength(prompt, other)));
		full += prompt.length - shared;
		cached += shared;
		seen.push(prompt);
	}
	return { full: full / artifact, withCache: (full + CACHED_SHARE * cached) / artifact };
}

function sharedLength(a: string, b: string): number {
	let low = 0;
	let high = Math.min(a.length, b.length);
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (a.startsWith(b.slice(0, middle))) low = middle;
		else high = middle - 1;
	}
	return low;
}

describe("an evaluation of 100,000 characters with four checks a criterion", () => {
	it.each([
		{ criteria: 1, calls: 4 },
		{ criteria: 5, calls: 20 },
		{ criteria: 20, calls: 80 },
	])("makes $calls calls for $criteria criteria", async ({ criteria, calls }) => {
		const request = evaluationRequest({ files: work(100_000), criteria: rubric(criteria) });
		const model = scriptedModel((call) => answer(call), { maxInputCharacters: 400_000 });
		const outcome = await model.judge(request);
		expect(outcome.kind).toBe("finished");
		expect(model.calls).toHaveLength(calls);
		const estimate = estimateEvaluation(engineSettings({ maxInputCharacters: 400_000 }), request);
		expect(estimate.calls).toBe(calls);
		const input = model.calls.reduce((sum, { system, user }) => sum + system.length + user.length, 0) / CHARACTERS_PER_TOKEN;
		console.info(
			`${criteria} criteria: ${calls} calls, about ${Math.round(input)} tokens of input, estimated ${estimate.inputTokens} in, ${estimate.outputTokens} out`,
		);
		expect(estimate.inputTokens).toBeGreaterThan(input);
	});

	it("is expected to make the further samples of a silent criterion, also in a later attempt", async () => {
		const model = scriptedModel((call) => (call.isControl ? answer(call) : call.number <= 2 ? "no JSON" : failure(401)), {
			callsAtOnce: 1,
		});
		const outcome = await model.judge();
		expect(outcome.kind).toBe("waiting");
		const kept = outcome.kind === "waiting" ? outcome.kept : null;
		expect(estimateEvaluation(engineSettings(), evaluationRequest(), kept)).toMatchObject({ calls: 4 });
	});

	it("keeps to the budget with eight criteria: 2 reads in full, 3.5 with a cache, 8,000 tokens of output", async () => {
		const files = work(100_000);
		const artifact = files.reduce((sum, { text }) => sum + text.length, 0);
		const model = scriptedModel((call) => answer(call), { maxInputCharacters: 400_000 });
		const request = evaluationRequest({ files, criteria: rubric(8) });
		await model.judge(request);
		expect(model.calls).toHaveLength(32);
		const { full, withCache } = bill(model.calls, artifact);
		console.info(`8 criteria: ${full.toFixed(2)} reads in full, ${withCache.toFixed(2)} with cached input at a tenth`);
		expect(full).toBeLessThan(2);
		expect(withCache).toBeLessThan(3.5);
		const { outputTokens } = estimateEvaluation(engineSettings({ maxInputCharacters: 400_000 }), request);
		expect(outputTokens / 2).toBeLessThan(8_000);
	});
});

describe("calls about a rubric, without a work", () => {
	const judgeOf = (play: Parameters<typeof scriptedModel>[0]) => createModelJudge(scriptedModel(play).deps, engineSettings());
	const watch = { requestId: null, onCall: () => {} };

	it("find the checks that no few lines can show, once for the whole rubric", async () => {
		const judge = judgeOf(() => ({ whole_checks: [2, 3, 99, "4"] }));
		const criteria = [criterion("One", ["a", "every b"]), criterion("Two", ["no c", "d"])];
		expect(await judge.findWholeChecks(criteria, watch)).toEqual([[1], [0]]);
	});

	it("find none where the call fails", async () => {
		const judge = judgeOf(() => new Response("", { status: 500 }));
		expect(await judge.findWholeChecks([criterion("One", ["every a"])], watch)).toEqual([[]]);
	});

	it("propose checks with notes, or nothing where the reply is of no use", async () => {
		const request = { ...watch, task: evaluationRequest().task, criterion: { name: "Quotes", description: "Quotes work." } };
		const judge = judgeOf(() => ({ checks: ["It handles quotes"], notes: null }));
		expect(await judge.proposeChecks(request)).toEqual({ checks: ["It handles quotes"], notes: [] });
		expect(await judgeOf(() => "no").proposeChecks(request)).toBeNull();
	});

	it("wait for their turn like those of evaluations, so that they interrupt no reply of a server with one slot", async () => {
		const model = scriptedModel(interruptingServer(() => ({ checks: ["It handles quotes"], notes: [] })));
		const judge = createModelJudge(model.deps, engineSettings({ callsAtOnce: 1 }), null);
		const request = { ...watch, task: evaluationRequest().task, criterion: { name: "Quotes", description: "Quotes work." } };
		const proposed = await letTimePass(model.clock, Promise.all([1, 2, 3].map(() => judge.proposeChecks(request))));
		expect(proposed).toEqual(Array(3).fill({ checks: ["It handles quotes"], notes: [] }));
	});
});
