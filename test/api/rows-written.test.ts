// What D1 writes for one judged submission, from the request to the last notification. D1 bills each row, and each entry of an index.
// `npm test -- test/api/rows-written.test.ts --silent=false` prints who writes how many.
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { consumeEvaluation } from "../../queues/evaluation.ts";
import { createApp } from "../../src/app.ts";
import { WEBHOOK_EVENTS } from "../../src/domain/events.ts";
import { dispatchRecorded } from "../../src/events/dispatch.ts";
import { completeSubmission, createSubmission, quickSubmit, uploadArtifact } from "../../src/features/competition/submissions/contract.ts";
import type { TaskMessage } from "../../src/ports/queues.ts";
import { goodZipWith } from "../support/archives.ts";
import { createClient } from "../support/client.ts";
import { manualClock, recordingQueue, type TestDeps, testDeps } from "../support/deps.ts";
import { honest, scriptJudge } from "../support/judge-script.ts";
import { judgeOf } from "../support/judging.ts";
import { countRows } from "../support/row-counting.ts";
import { awaitEvaluation, GOOD_FILES, openTask, type RegisteredClient, registerAgent } from "../support/scenario.ts";
import { seedLeaderboard } from "../support/seed.ts";
import { holdSenders } from "../support/senders.ts";
import { readLog, subscribe } from "../support/webhooks.ts";

const MOST_ROWS = 45;

const judge = judgeOf(await scriptJudge([{ steps: [honest(4)] }]), { JUDGE_SAMPLES: "0:1", JUDGE_PRICES: "model-a=1/1" });
const criteria = Array.from({ length: 8 }, (_, index) => ({ name: `Criterion ${index}`, description: "It parses lines.", weight: 12.5 }));

/** A platform that counts, whose queues the test works off. */
function countingPlatform() {
	const rows = countRows();
	const evaluations = recordingQueue();
	const opened: TestDeps[] = [];
	const sent: string[] = [];
	const fetch = async (url: string) => {
		sent.push(url);
		return new Response("taken");
	};
	const senders = holdSenders(manualClock(), () => open());
	const open = () => {
		const { hubs } = testDeps();
		const deps = testDeps({
			db: rows.open(),
			judge,
			queues: { tasks: recordingQueue<TaskMessage>(), evaluation: evaluations },
			hubs: { ...hubs, ...senders.hubs },
			fetch,
		});
		opened.push(deps);
		return deps;
	};
	const as = ({ key }: RegisteredClient) =>
		createClient({
			key,
			async fetch(request) {
				const deps = open();
				const response = await createApp(() => deps).fetch(request);
				await deps.settled();
				return response;
			},
		});
	return {
		rows,
		as,
		/** Where deliveries went. */
		sent,
		/** Calls to D1 of all that happened since the last time. */
		takeCalls: () => opened.splice(0).reduce((sum, { db }) => sum + db.use.calls, 0),
		/** Judges and notifies until nothing is left to do. */
		async workOff() {
			for (let sent = evaluations.sent.shift(); sent !== undefined; sent = evaluations.sent.shift()) {
				const deps = open();
				await consumeEvaluation.handle(deps, sent.message);
				await dispatchRecorded(deps);
				await deps.settled();
			}
			for (const deps of opened) await deps.settled();
		},
	};
}

const platform = countingPlatform();
const poster = await registerAgent("Poster");

async function quickSubmitTo(taskId: string, agent: RegisteredClient): Promise<string> {
	const input = { params: { id: taskId }, body: { files: GOOD_FILES }, headers: { "Idempotency-Key": crypto.randomUUID() } };
	return (await platform.as(agent).call(quickSubmit, input)).id;
}

async function uploadTo(taskId: string, agent: RegisteredClient): Promise<string> {
	const client = platform.as(agent);
	const { id } = await client.call(createSubmission, { params: { id: taskId } });
	await client.call(uploadArtifact, { params: { id }, headers: { "Content-Type": "application/octet-stream" }, rawBody: goodZipWith() });
	await client.call(completeSubmission, { params: { id } });
	return id;
}

async function countJudged(name: string, agent: RegisteredClient, submitIt: () => Promise<string>): Promise<number> {
	platform.rows.take();
	const id = await submitIt();
	await platform.workOff();
	expect((await awaitEvaluation(agent, id)).evaluated).toBe(true);
	const { total, lines } = platform.rows.take();
	console.log([`${name}: ${total} rows`, ...lines].join("\n"));
	return total;
}

/** Everything that is written once for a deployment, a day or a task has been written. */
async function prepareTask(): Promise<string> {
	const taskId = await openTask(poster, { criteria });
	const first = await registerAgent();
	await quickSubmitTo(taskId, first);
	await platform.workOff();
	return taskId;
}

describe("a judged submission", () => {
	beforeAll(async () => {
		// Only tests have it.
		await env.DB.prepare("drop trigger _event_recorded").run();
	});

	it(`writes at most ${MOST_ROWS} rows, be it an agent's first one or a later one`, async () => {
		const taskId = await prepareTask();
		const agent = await registerAgent();
		expect(await countJudged("First submission", agent, () => quickSubmitTo(taskId, agent))).toBeLessThanOrEqual(MOST_ROWS);
		expect(await countJudged("Second submission", agent, () => quickSubmitTo(taskId, agent))).toBeLessThanOrEqual(MOST_ROWS);
	});

	it(`writes at most ${MOST_ROWS} rows on a leaderboard of 10,000`, async () => {
		const taskId = await openTask(poster, { criteria });
		await seedLeaderboard({ taskId, total: 10_000, start: Date.now() - 1_800_000_000, family: 3, isTie: false });
		const agent = await registerAgent();
		await quickSubmitTo(await prepareTask(), agent);
		await quickSubmitTo(taskId, await registerAgent());
		await platform.workOff();
		expect(await countJudged("On a large board", agent, () => quickSubmitTo(taskId, agent))).toBeLessThanOrEqual(MOST_ROWS);
	});

	it("costs a few rows more as an upload", async () => {
		const taskId = await prepareTask();
		const agent = await registerAgent();
		expect(await countJudged("Upload", agent, () => uploadTo(taskId, agent))).toBeLessThanOrEqual(MOST_ROWS + 10);
	});

	it("costs no row and no call to D1 more for a webhook that hears of it", async () => {
		const taskId = await prepareTask();
		const agent = await registerAgent();
		await countJudged("An agent's first", agent, () => quickSubmitTo(taskId, agent));
		const count = async (name: string) => {
			platform.takeCalls();
			const total = await countJudged(name, agent, () => quickSubmitTo(taskId, agent));
			return { total, calls: platform.takeCalls() };
		};
		const without = await count("Without a webhook");
		const { id } = await subscribe(poster, "https://receiver.example.com/rows", { events: WEBHOOK_EVENTS });
		expect(await count("With a webhook")).toEqual(without);
		const heard = (await readLog(platform.as(poster), id)).map(({ event, status }) => [event, status]).toSorted();
		expect(heard).toEqual(["evaluation.completed", "submission.completed", "submission.created"].map((event) => [event, "delivered"]));
		expect(platform.sent).toHaveLength(3);
	});
});
