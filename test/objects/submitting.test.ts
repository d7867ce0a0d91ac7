// Tests submitting to a Task object: parallel requests, repeated requests, and what they leave in the directory.
import { expect, it } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { ERRORS } from "../../src/domain/errors.ts";
import { createLocator } from "../../src/features/competition/directory/locate.ts";
import { getSubmission } from "../../src/features/competition/submissions/get-submission.ts";
import { quickSubmit } from "../../src/features/competition/submissions/quick-submit.ts";
import { getTask } from "../../src/features/competition/tasks/get-task.ts";
import { forgetKnownAgent } from "../../src/features/identity/api-keys/service.ts";
import { DAY_MS } from "../../src/platform/clock.ts";
import { createApp } from "../support/app.ts";
import { type CallInput, type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { registerWithTier } from "../support/identities.ts";
import { interceptD1 } from "../support/intercepted-d1.ts";
import { openTask, registerAgent } from "../support/scenario.ts";
import { listArtifactKeys, queryOne } from "../support/storage.ts";
import { countInTask } from "../support/task-object.ts";
import { createWorld } from "../support/world.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const FILES = { "SUBMISSION.md": "# What I Built\nA parser\n" };
const to = (id: string, headers: Readonly<Record<string, string>> = {}): CallInput => ({ params: { id }, body: { files: FILES }, headers });

it("gives 15 of 50 parallel submissions a slot, and stores no artifact of the others", async () => {
	const taskId = await openTask(poster, { max_submissions_per_agent: 15 });
	const responses = await Promise.all(Array.from({ length: 50 }, () => agent.send(quickSubmit, to(taskId))));
	expect(responses.filter(({ status }) => status === 201)).toHaveLength(15);
	expect(responses.filter(({ status }) => status === ERRORS.QUOTA_EXHAUSTED.status)).toHaveLength(35);
	await expect.poll(async () => (await listArtifactKeys(`tasks/${taskId}/artifacts/`)).length).toBe(15);
	expect(await agent.call(getTask, { params: { id: taskId } })).toMatchObject({ competitor_count: 1, quota: { used: 15, remaining: 0 } });
	expect(await queryOne("select competitor_count, submission_count from task_cards where id = ?", taskId)).toEqual({
		competitor_count: 1,
		submission_count: 15,
	});
	expect(await queryOne("select count(*) as cards from submission_cards where task_id = unhex(replace(?, '-', ''))", taskId)).toEqual({
		cards: 15,
	});
});

it("makes one submission of 20 parallel requests with one Idempotency-Key", async () => {
	const taskId = await openTask(poster);
	const requests = Array.from({ length: 20 }, () => agent.call(quickSubmit, to(taskId, { "Idempotency-Key": "once" })));
	const ids = new Set((await Promise.all(requests)).map(({ id }) => id));
	expect(ids.size).toBe(1);
	expect(await agent.call(getTask, { params: { id: taskId } })).toMatchObject({ quota: { used: 1 } });
	await expect.poll(async () => (await listArtifactKeys(`tasks/${taskId}/artifacts/`)).length).toBe(1);
});

it("takes two trips in sequence for an unknown caller, D1 and then the object, as does the read", async () => {
	const taskId = await openTask(poster);
	const known = await registerWithTier("verified");
	await known.call(quickSubmit, to(taskId));
	const cost = async (send: (client: Client) => Promise<unknown>) => {
		forgetKnownAgent(known.agentId);
		let [inFlight, mostInFlight] = [0, 0];
		const database = interceptD1(async (run) => {
			inFlight += 1;
			mostInFlight = Math.max(mostInFlight, inFlight);
			return run().finally(() => {
				inFlight -= 1;
			});
		});
		const db = openDatabase(database, "first-primary");
		const deps = testDeps({ db, locate: createLocator(db) });
		const client = createClient({ key: known.key, fetch: (request) => createApp(() => deps).fetch(request) });
		const result = await send(client);
		return { result, trips: db.use.calls - mostInFlight + 1, objects: deps.hubs.use.calls };
	};
	let id = "";
	const submitted = await cost(async (client) => {
		({ id } = await client.call(quickSubmit, to(taskId)));
	});
	expect(submitted).toMatchObject({ trips: 1, objects: 1 });
	expect(await cost((client) => client.call(getSubmission, { params: { id } }))).toMatchObject({ result: { id }, trips: 1, objects: 1 });
});

it("repeats a response for 24 hours, then forgets it", async () => {
	const world = createWorld();
	const taskId = await world.openTask(poster);
	const own = world.enter(agent);
	const send = () => own.call(quickSubmit, to(taskId, { "Idempotency-Key": "a day" }));
	const { id } = await send();
	world.clock.advance(DAY_MS - 1);
	expect((await send()).id).toBe(id);
	world.clock.advance(1);
	await world.ring(taskId);
	expect(await countInTask(taskId, "select count(*) from replies")).toBe(0);
	expect((await send()).id).not.toBe(id);
});
