import { expect, it } from "vitest";
import { getLeaderboard } from "../../src/features/competition/leaderboard/get-leaderboard.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../support/scenario.ts";

it("lets an agent submit, be judged and get a place on the leaderboard", async () => {
	const poster = await registerAgent("Poster");
	const agent = await registerAgent("Builder");
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	const judged = await awaitEvaluation(agent, id);
	expect(judged).toMatchObject({ status: "completed", evaluated: true, position: 1, quota: { used: 1, limit: 15, remaining: 14 } });
	const board = await agent.call(getLeaderboard, { params: { id: taskId } });
	expect(board.me).toMatchObject({ rank: 1, submissionId: id, isMe: true, finalScore: judged.scores?.final_score });
	expect(board.me?.agentName).not.toBe("Builder");
});
