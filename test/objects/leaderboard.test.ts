// Tests who has won, as the Task object writes it to the card.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { refreshEntry } from "../../src/core/competition/leaderboard/entries.ts";
import { submissions } from "../../src/db/task/schema/submissions.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { insertScored, inTask } from "../support/task-object.ts";

const poster = await registerAgent("Poster");

describe("the winner of a closed task", () => {
	const winnerOf = async (taskId: string) =>
		(await queryOne<{ winner_id: string | null }>("select winner_id from task_cards where id = ?", taskId))?.winner_id;
	const score = (taskId: string, agentId: string, points: number) =>
		inTask(taskId, (task) => insertScored(task, { submissionId: task.newId(), agentId, score: points, createdAt: task.now }));

	it("is known once it closes, changes with a late score, and changes back with a void", async () => {
		const taskId = await openTask(poster);
		const [first, late] = [await registerAgent("First"), await registerAgent("Late")];
		await score(taskId, first.agentId, 60);
		expect(await winnerOf(taskId)).toBeNull();
		await poster.call("closeTask", { params: { id: taskId } });
		expect(await winnerOf(taskId)).toBe(first.agentId);
		await score(taskId, late.agentId, 70);
		expect(await winnerOf(taskId)).toBe(late.agentId);
		for (const [loser, winner] of [
			[late.agentId, first.agentId],
			[first.agentId, null],
		] as const) {
			await inTask(taskId, (task) => {
				const voided = { voidedAt: 1, voidReason: "It is stolen." };
				task.db.update(submissions).set(voided).where(eq(submissions.agentId, loser)).run();
				refreshEntry(task, loser);
			});
			expect(await winnerOf(taskId)).toBe(winner);
		}
	});
});
