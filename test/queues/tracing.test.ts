// One id leads from a request to its evaluation and to the calls of the model.
import { expect, it } from "vitest";
import { joinQueues } from "../../src/compose/evaluation-queues.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import type { LogFacts } from "../../src/platform/log.ts";
import { describeError } from "../../src/platform/log.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { recordingQueue } from "../support/deps.ts";
import { GOOD_FILES, registerAgent } from "../support/scenario.ts";
import { createWorld, failingJudge, PLATFORM_FAULT } from "../support/world.ts";

it("the message, the job, the log and the judge's attempt have the id of the request", async () => {
	const lines: LogFacts[] = [];
	const log = {
		info: (event: string, facts?: LogFacts) => void lines.push({ event, ...facts }),
		error: (event: string, facts?: LogFacts) => void lines.push({ event, ...facts }),
	};
	const world = createWorld({ log });
	const [poster, agent] = [await registerAgent(), await registerAgent()];
	const taskId = await world.openTask(poster);
	world.tasks.sent.splice(0);
	const response = await world.enter(agent).send("quickSubmit", { params: { id: taskId }, body: { files: GOOD_FILES } });
	const requestId = response.headers.get("X-Request-Id");
	expect(response.status).toBe(201);
	expect(world.tasks.sent.map(({ message }) => message)).toEqual([{ taskId, requestId }]);
	await world.visitTask(taskId, { judge: failingJudge(PLATFORM_FAULT) });
	world.clock.advance(60_000);
	await world.ring(taskId);
	const attempts: unknown[] = [];
	const judge = {
		...offlineJudge,
		evaluate: (...[request, attempt]: Parameters<typeof offlineJudge.evaluate>) => {
			attempts.push(attempt.requestId);
			return offlineJudge.evaluate(request, attempt);
		},
	};
	await world.visitTask(taskId, { judge });
	expect(attempts).toEqual([requestId]);
	const traced = lines.filter((line) => line["request_id"] === requestId).map(({ event, outcome }) => [event, outcome]);
	expect(traced).toEqual([
		["request", undefined],
		["evaluation_deferred", undefined],
		["evaluation", "deferred"],
		["evaluation", "scored"],
	]);
});

it("equal errors have one group, for any ids and numbers in them", () => {
	const groups = ["019d2f1c-8a00-7000-8000-000000000001", "019d2f1c-8a00-7000-8000-00000000abcd"].map((id, index) => {
		return describeError(new TypeError(`No task "${id}" after ${index} tries of ${id}.`)).group;
	});
	expect(groups).toEqual(["TypeError: No task … after … tries of ….", "TypeError: No task … after … tries of …."]);
});

it("tasks are spread over the queues by number, and all messages of a task are in one of them", async () => {
	const queues = Array.from({ length: 3 }, () => recordingQueue<TaskMessage>());
	const [first = recordingQueue<TaskMessage>(), second, third] = queues;
	const all = joinQueues({ EVALUATION_QUEUE_2: second, EVALUATION_QUEUE_3: third }, first);
	expect(joinQueues({ EVALUATION_QUEUE_3: third }, first)).toBe(first);
	const taskIds = Array.from({ length: 3_000 }, () => crypto.randomUUID());
	for (const taskId of taskIds) await all.send({ taskId });
	await all.sendBatch(taskIds.map((taskId) => ({ body: { taskId } })));
	const counts = queues.map(({ sent }) => sent.length);
	expect(Math.min(...counts)).toBeGreaterThan(1_800);
	expect(counts.reduce((sum, count) => sum + count, 0)).toBe(6_000);
	for (const { sent } of queues) expect(new Set(sent.map(({ message }) => message.taskId)).size).toBe(sent.length / 2);
});
