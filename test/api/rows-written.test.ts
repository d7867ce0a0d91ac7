// Counts what one judged submission costs, from the request to the last notification: calls and rows of D1, and rows of the task's
// object. Cloudflare bills each row and each entry of an index. `npm test -- test/api/rows-written.test.ts --silent=false` prints who
// writes how many.
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { COUNTED } from "../../scripts/costs/costs.ts";
import { workOff } from "../../src/compose/work-off.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { createApp } from "../support/app.ts";
import { goodZipWith } from "../support/archives.ts";
import { createClient } from "../support/client.ts";
import { recordingQueue, type TestDeps, testDeps } from "../support/deps.ts";
import { honest, scriptJudge } from "../support/judge-script.ts";
import { judgeOf } from "../support/judging.ts";
import { watchObject } from "../support/object-use.ts";
import { countRows } from "../support/row-counting.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { seedLeaderboard } from "../support/seed.ts";
import { listOwedEvents } from "../support/task-object.ts";
import { subscribe } from "../support/webhooks.ts";

/** The page of costs adds these up. */
const MOST = { calls: COUNTED.d1Calls, rows: COUNTED.d1RowsWritten, objectRows: COUNTED.objectRowsWritten };

const judge = judgeOf(await scriptJudge([{ steps: [honest()] }]), { JUDGE_PRICES: "model-a=1/1" });
const criteria = Array.from({ length: 8 }, (_, index) => ({ name: `Criterion ${index}`, description: "It parses lines.", weight: 12.5 }));
const poster = await registerAgent("Poster");

const rows = countRows();
const messages = recordingQueue<TaskMessage>();
const open = (): TestDeps => {
	const deps = testDeps();
	return testDeps({ db: rows.open(), judge, queues: { ...deps.queues, tasks: messages, checks: messages } });
};

/** Returns the same caller of a platform that counts. */
function as({ key }: RegisteredClient) {
	return createClient({
		key,
		async fetch(request) {
			const deps = open();
			const response = await createApp(() => deps).fetch(request);
			await deps.settled();
			return response;
		},
	});
}

/** Opens a task whose object counts too, and waits for the test's consumer. */
async function openCounted(): Promise<string> {
	const taskId = await openTask(poster, { criteria });
	await runInDurableObject(env.TASK.getByName(taskId), ({ runtime }) => {
		const { db, queues } = open();
		runtime.deps = { ...runtime.deps, db, queues };
	});
	return taskId;
}

/** Judges until nothing is left to do and every event is sent. */
async function finish(taskId: string): Promise<void> {
	for (let sent = messages.sent.shift(); sent !== undefined; sent = messages.sent.shift()) {
		expect(sent.message.taskId).toBe(taskId);
		const deps = open();
		await workOff(deps, sent.message.taskId);
		await deps.settled();
	}
	await expect.poll(() => listOwedEvents(taskId)).toEqual([]);
}

async function quickSubmitTo(taskId: string, agent: RegisteredClient): Promise<string> {
	const input = { params: { id: taskId }, body: { files: GOOD_FILES }, headers: { "Idempotency-Key": crypto.randomUUID() } };
	return (await as(agent).call("quickSubmit", input)).id;
}

async function uploadTo(taskId: string, agent: RegisteredClient): Promise<string> {
	const client = as(agent);
	const { id } = await client.call("createSubmission", { params: { id: taskId } });
	await client.call("uploadArtifact", { params: { id }, headers: { "Content-Type": "application/octet-stream" }, rawBody: goodZipWith() });
	await client.call("completeSubmission", { params: { id } });
	return id;
}

interface Judged {
	readonly taskId: string;
	readonly agent: RegisteredClient;
	readonly submit?: typeof quickSubmitTo;
}

async function countJudged(name: string, { taskId, agent, submit = quickSubmitTo }: Judged) {
	const takeObject = await watchObject(taskId);
	rows.take();
	const id = await submit(taskId, agent);
	await finish(taskId);
	const object = await takeObject();
	const { total, calls, lines } = rows.take();
	expect((await awaitEvaluation(agent, id)).evaluated).toBe(true);
	console.log([`${name}: ${calls} calls, ${total} rows, ${object.written} rows of the object`, ...lines, ...object.lines].join("\n"));
	const written = lines.flatMap((line) => /^ *\d+ {2}.* (\w+)$/.exec(line)?.[1] ?? []);
	return { calls, rows: total, objectRows: object.written, tables: [...new Set(written)].toSorted() };
}

/** Does first everything that is written once for a deployment, a day or a task. */
async function prepareTask(): Promise<string> {
	const taskId = await openCounted();
	await quickSubmitTo(taskId, await registerAgent());
	await finish(taskId);
	return taskId;
}

function expectCheap(cost: Awaited<ReturnType<typeof countJudged>>, most = MOST): void {
	expect({ cost, isCheap: cost.calls <= most.calls && cost.rows <= most.rows && cost.objectRows <= most.objectRows }).toEqual({
		cost,
		isCheap: true,
	});
}

describe("a judged submission", () => {
	it("stays within its budget, for an agent's first and later ones, with a webhook", async () => {
		const taskId = await prepareTask();
		const agent = await registerAgent();
		// The use of a key is recorded once an hour, so it does not count for a submission.
		await as(agent).call("whoAmI");
		await subscribe(poster, "https://receiver.example.com/rows", { events: WEBHOOK_EVENTS });
		expectCheap(await countJudged("First submission", { taskId, agent }));
		const second = await countJudged("Second submission", { taskId, agent });
		expectCheap(second);
		// Tasks share only cards, and the sums of a day if models judge. So parallel tasks do not wait for each other anywhere else.
		expect(second.tables).toEqual(["judge_days", "reservations", "submission_cards", "task_cards", "usage_cards"]);
	});

	it("costs the same on a leaderboard of 10,000", async () => {
		const taskId = await prepareTask();
		await seedLeaderboard({ taskId, total: 10_000, start: Date.now() - 1_800_000_000, family: 3, isTie: false });
		const agent = await registerAgent();
		await quickSubmitTo(taskId, agent);
		await finish(taskId);
		expectCheap(await countJudged("On a large board", { taskId, agent }));
	});

	it("costs a few rows more as an upload", async () => {
		const taskId = await prepareTask();
		const agent = await registerAgent();
		await quickSubmitTo(taskId, agent);
		await finish(taskId);
		const most = { calls: MOST.calls + 6, rows: MOST.rows + 10, objectRows: MOST.objectRows + 10 };
		expectCheap(await countJudged("Upload", { taskId, agent, submit: uploadTo }), most);
	});
});
