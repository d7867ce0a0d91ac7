// Tests judging in a Task object.
import { expect, it } from "vitest";
import { getSubmissionDetails } from "../../src/features/competition/submissions/get-submission-details.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../support/scenario.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];

it("scores a submission with the platform's queue", async () => {
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	expect(await awaitEvaluation(agent, id)).toMatchObject({ status: "completed", position: 1, scores: { final_score: expect.any(Number) } });
	expect((await agent.call(getSubmissionDetails, { params: { id } })).dimensions).toHaveLength(2);
});
