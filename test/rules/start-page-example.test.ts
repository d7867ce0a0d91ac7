// Judges the demo's best work again, so that the start page shows what the judge that it names says.
import { expect, it } from "vitest";
import { MOVES, TASK, writeWork } from "../../scripts/demo/work.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import example from "../../src/extensions/pages/example.json";

it("the start page's example is what the offline judge says about the best work of the demo", async () => {
	const criterion = TASK.criteria.find(({ name }) => name === example.criterion.name);
	if (criterion === undefined) throw new Error(`The demo has no criterion ${example.criterion.name}.`);
	const files = Object.entries(writeWork(MOVES.at(-1)?.parts ?? [])).map(([path, text]) => ({ path, text }));
	const outcome = await offlineJudge.evaluate(
		{
			task: { title: TASK.title, description: TASK.description, inputSpec: null, outputSpec: TASK.output_spec, attachments: [] },
			criteria: [{ ...criterion, evidence: "any", wholeChecks: [] }],
			files,
			unreadPaths: [],
			missingSections: [],
			facts: [],
			samples: 1,
		},
		{ kept: null, keep: () => {}, requestId: null, onCall: () => {} },
	);
	if (outcome.kind !== "finished") throw new Error(`The judge returned ${outcome.kind}.`);
	const [judged] = outcome.judgement.criteria;
	const answers = judged?.checks.map(({ check, found, evidence: [quote] }) => ({ check, found, quote: quote ?? null }));
	expect({ judge: offlineJudge.name, score: judged?.score }).toEqual({ judge: example.judge, score: example.criterion.score });
	expect(answers).toEqual(expect.arrayContaining(example.checks));
	expect(answers).toHaveLength(example.checks.length);
});
