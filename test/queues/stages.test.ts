// Tests two stages: a cheap model judges every submission, and the strong one those within reach of the first ten places.
import { describe, expect, it } from "vitest";
import type { Judge } from "../../src/ports/judge.ts";
import { configWith } from "../support/deps.ts";
import { createRound, scriptedJudge } from "../support/final-round.ts";

const at = (id: string) => ({ params: { id } });

function staged() {
	const asked: string[] = [];
	const begun: unknown[] = [];
	const named = (name: string): Judge => {
		const plain = scriptedJudge();
		return scriptedJudge({
			models: [name],
			evaluate(request, attempt) {
				asked.push(name);
				begun.push(attempt.startedAt);
				return plain.evaluate(request, attempt);
			},
		});
	};
	return { asked, begun, judge: { ...named("strong"), screening: named("cheap") } };
}

describe("two stages", () => {
	it("use the strong model for submissions within reach, and its comparison group contains only those", async () => {
		const { asked, begun, judge } = staged();
		const round = await createRound({ judge, config: { ...configWith({}), judgeNoise: 0.1 } });
		const first = [];
		for (let index = 0; index < 10; index += 1) first.push(await round.enter({ now: 80, final: 80 }));
		// With fewer than ten others, everything is within reach.
		expect(new Set(asked)).toEqual(new Set(["strong"]));
		asked.length = 0;
		const poor = await round.enter({ now: 40, final: 95 });
		expect(new Set(asked)).toEqual(new Set(["cheap"]));
		asked.length = 0;
		begun.length = 0;
		const near = await round.enter({ now: 70, final: 70 });
		expect(asked).toEqual(["cheap", "strong"]);
		// Both stages share the time of one attempt.
		expect(begun).toEqual([expect.any(Number), begun[0]]);
		const modelsOf = async ({ agent, id }: typeof poor) => (await agent.call("listEvaluations", at(id))).data.map(({ models }) => models);
		expect(await modelsOf(poor)).toEqual([["cheap"]]);
		expect(await modelsOf(near)).toEqual([["strong"]]);
		const { entries } = await round.board();
		const groupOf = ({ id }: typeof poor) => entries.find(({ submissionId }) => submissionId === id)?.comparisonGroup;
		expect(groupOf(near)).toBe(first[0] === undefined ? null : groupOf(first[0]));
		expect(groupOf(poor)).not.toBe(groupOf(near));
		asked.length = 0;
		await round.close();
		await round.workOff();
		expect(new Set(asked)).toEqual(new Set(["strong"]));
	});
});
