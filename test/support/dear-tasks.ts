// Tasks whose judging costs so much that tests can reach the spending ceilings.
import { startOfNextUtcDay } from "../../src/platform/clock.ts";
import type { JudgeRule } from "./judge-script.ts";
import { honest, scriptJudge } from "./judge-script.ts";
import { type Ceilings, judgedPlatform } from "./judged-platform.ts";
import { type JudgeChoices, judgeOf } from "./judging.ts";
import { openTask, registerAgent, submit } from "./scenario.ts";
import { HOUR_MS } from "./times.ts";
import { findJob } from "./world.ts";

/**
 * A call is expected to write 320 tokens for 0.256 USD, and writes 100 for 0.08 USD. So the two criteria may cost 0.512 USD, and cost 0.16
 * USD.
 */
export const DEAR: JudgeChoices = { JUDGE_PRICES: "model-a=0/800" };

/** Each criterion has one check, so each is asked about in one call. */
export const CRITERIA = [
	{ name: "Parser", description: "quotes, delimiter, newline", weight: 60, checks: ["It reads quotes, delimiters and newlines"] },
	{ name: "Tests", description: "assert", weight: 40, checks: ["A test asserts something"] },
];

export interface Setting {
	readonly ceilings?: Ceilings;
	readonly judge?: JudgeChoices;
	readonly rules?: readonly JudgeRule[];
	readonly submissions?: number;
	readonly task?: Readonly<Record<string, unknown>>;
}

/** Opens a task and submits to it. The test looks at the jobs itself. */
export async function begin({ ceilings = {}, judge = {}, rules = [{ steps: [honest()] }], submissions = 1, task = {} }: Setting) {
	const script = await scriptJudge(rules);
	const platform = judgedPlatform(judgeOf(script, { ...DEAR, ...judge }), ceilings);
	// The costs of a day count until midnight, so a test that would begin shortly before midnight begins an hour after it.
	const leftMs = startOfNextUtcDay(platform.clock.now()) - platform.clock.now();
	if (leftMs <= HOUR_MS) platform.clock.advance(leftMs + HOUR_MS);
	const poster = platform.as(await registerAgent("Poster"));
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster, { criteria: CRITERIA, ...task });
	const ids: string[] = [];
	for (let number = 0; number < submissions; number += 1) ids.push((await submit(agent, taskId)).id);
	const look = (id = ids[0] ?? "") => platform.look({ id, taskId });
	/** Looks at all jobs in parallel, as consumers do. */
	const lookAtAll = () => Promise.all(ids.map((id) => look(id)));
	const readAll = () => Promise.all(ids.map((id) => agent.call("getSubmission", { params: { id } })));
	const usage = async () => (await poster.call("getTask", { params: { id: taskId } })).judge_usage;
	const [id = ""] = ids;
	const job = () => findJob({ id, taskId });
	return { script, platform, poster, agent, taskId, ids, id, job, look, lookAtAll, readAll, usage };
}
