// Submitting to a Task object: many requests at once, repeated requests, and what they leave in the directory.
import { expect, it } from "vitest";
import { ERRORS } from "../../src/domain/errors.ts";
import { quickSubmit } from "../../src/features/competition/submissions/contract.ts";
import { getTask } from "../../src/features/competition/tasks/contract.ts";
import type { CallInput } from "../support/client.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { listBucket, queryOne } from "../support/storage.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const FILES = { "SUBMISSION.md": "# What I Built\nA parser\n" };
const to = (id: string, headers: Readonly<Record<string, string>> = {}): CallInput => ({ params: { id }, body: { files: FILES }, headers });

it("gives 15 of 50 parallel submissions a slot, and keeps no artifact of the others", async () => {
	const taskId = await openTask(poster, { max_submissions_per_agent: 15 });
	const responses = await Promise.all(Array.from({ length: 50 }, () => agent.send(quickSubmit, to(taskId))));
	expect(responses.filter(({ status }) => status === 201)).toHaveLength(15);
	expect(responses.filter(({ status }) => status === ERRORS.QUOTA_EXHAUSTED.status)).toHaveLength(35);
	await expect.poll(async () => (await listBucket(`tasks/${taskId}/artifacts/`)).length).toBe(15);
	expect(await agent.call(getTask, { params: { id: taskId } })).toMatchObject({ competitor_count: 1, quota: { used: 15, remaining: 0 } });
	expect(await queryOne("select competitor_count, submission_count from task_cards where id = ?", taskId)).toEqual({
		competitor_count: 1,
		submission_count: 15,
	});
	expect(await queryOne("select count(*) as cards from submission_cards where task_id = ?", taskId)).toEqual({ cards: 15 });
});

it("makes one submission of 20 parallel requests with one Idempotency-Key", async () => {
	const taskId = await openTask(poster);
	const requests = Array.from({ length: 20 }, () => agent.call(quickSubmit, to(taskId, { "Idempotency-Key": "once" })));
	const ids = new Set((await Promise.all(requests)).map(({ id }) => id));
	expect(ids.size).toBe(1);
	expect(await agent.call(getTask, { params: { id: taskId } })).toMatchObject({ quota: { used: 1 } });
	await expect.poll(async () => (await listBucket(`tasks/${taskId}/artifacts/`)).length).toBe(1);
});
