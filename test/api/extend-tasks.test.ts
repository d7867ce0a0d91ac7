// Tests a later deadline: what moves with it, and who may move it.
import { describe, expect, it } from "vitest";
import { goodZipWith } from "../support/archives.ts";
import { createClient } from "../support/client.ts";
import { changeTask } from "../support/house.ts";
import { createDraft, hoursFromNow, openTask, registerAgent } from "../support/scenario.ts";
import { readStream } from "../support/sse.ts";
import { HOUR_MS } from "../support/times.ts";
import { atSignedUrl, register } from "../support/uploads.ts";
import { createWorld } from "../support/world.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const at = (id: string) => ({ params: { id } });
const to = (id: string, deadline: string) => ({ params: { id }, body: { deadline } });

describe("POST /api/v1/tasks/{id}/extend", () => {
	it("moves the deadline of an open task everywhere that it is shown", async () => {
		const category = "extended";
		const id = await openTask(poster, { category, deadline: hoursFromNow(25) });
		const deadline = hoursFromNow(50);
		expect(await poster.call("extendTask", to(id, deadline))).toEqual({ id, status: "open", deadline });
		expect(await agent.call("getTask", at(id))).toMatchObject({ status: "open", deadline });
		expect((await agent.call("listTasks", { query: { category } })).data).toMatchObject([{ id, deadline }]);
		await poster.call("extendTask", to(id, hoursFromNow(51)));
	});

	it("lists every deadline that the task has had in its history, for everyone", async () => {
		const [first, second, third] = [hoursFromNow(25), hoursFromNow(50), hoursFromNow(75)];
		const draft = await createDraft(poster, { deadline: hoursFromNow(30) });
		await poster.call("updateTask", { ...at(draft.id), body: { deadline: first } });
		expect(draft.deadline_history).toEqual([]);
		await poster.call("publishTask", at(draft.id));
		for (const deadline of [second, third]) await poster.call("extendTask", to(draft.id, deadline));
		await poster.refused("extendTask", "INVALID_BODY", to(draft.id, third));
		const { deadline_history: history } = await agent.call("getTask", at(draft.id));
		expect(history.map(({ deadline }) => deadline)).toEqual([first, second, third]);
		const times = history.map((change) => change.at);
		expect(times).toEqual(times.toSorted());
		expect((await createClient().call("getPublicTask", at(draft.id))).deadline_history).toEqual(history);
	});

	it("is possible until the task has had 50 deadlines, because each is told to all that have submitted", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		const extend = (hours: number) => poster.send("extendTask", to(id, hoursFromNow(hours)));
		for (let count = 2; count <= 50; count += 1) expect((await extend(24 + count)).status).toBe(200);
		const { deadline } = await poster.call("getTask", at(id));
		const late = await Promise.all([100, 101, 102].map(extend));
		expect(late.map(({ status }) => status)).toEqual([409, 409, 409]);
		expect(await poster.call("getTask", at(id))).toMatchObject({ deadline });
		await poster.refused("extendTask", "CONFLICT", to(id, hoursFromNow(200)));
	});

	it("moves the deadline only to a later time", async () => {
		const deadline = hoursFromNow(30);
		const id = await openTask(poster, { deadline });
		for (const other of [deadline, hoursFromNow(29), "2000-01-01T00:00:00Z", "tomorrow"]) {
			await poster.refused("extendTask", "INVALID_BODY", to(id, other));
		}
		await poster.refused("extendTask", "INVALID_BODY", { ...at(id), body: {} });
		expect(await poster.call("getTask", at(id))).toMatchObject({ deadline });
	});

	it("works on open tasks only", async () => {
		const { id } = await createDraft(poster);
		const input = to(id, hoursFromNow(100));
		await poster.refused("extendTask", "INVALID_TRANSITION", input);
		await poster.call("publishTask", at(id));
		await changeTask(id, { status: "evaluating" });
		await poster.refused("extendTask", "INVALID_TRANSITION", input);
		await poster.call("closeTask", at(id));
		await poster.refused("extendTask", "INVALID_TRANSITION", input);
		await poster.refused("deleteTask", "INVALID_TRANSITION", at(id));
	});

	it("is refused once the deadline has passed, even if the task is not closed yet", async () => {
		const world = createWorld();
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		world.clock.advance(26 * HOUR_MS);
		await world.enter(poster).refused("extendTask", "INVALID_TRANSITION", to(id, hoursFromNow(100)));
	});

	it("is sent to those who watch the task or its leaderboard", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		const streams = await Promise.all(
			(["streamTask", "streamLeaderboard"] as const).map(async (operation) => readStream(await agent.send(operation, at(id)))),
		);
		await Promise.all(streams.map((stream) => stream.count(1)));
		const deadline = hoursFromNow(60);
		await poster.call("extendTask", to(id, deadline));
		const [task, board] = await Promise.all(streams.map((stream) => stream.count(2)));
		expect(task?.[1]).toMatchObject({ event: "task", data: { status: "open", deadline } });
		expect(board?.[1]).toMatchObject({ event: "leaderboard" });
		await Promise.all(streams.map((stream) => stream.close()));
	});

	it("keeps the later of two deadlines that are set in parallel", async () => {
		const id = await openTask(poster, { deadline: hoursFromNow(25) });
		const [early, late] = [hoursFromNow(40), hoursFromNow(80)];
		await Promise.all([poster.send("extendTask", to(id, early)), poster.send("extendTask", to(id, late))]);
		expect(await poster.call("getTask", at(id))).toMatchObject({ deadline: late });
	});
});

describe("an upload URL from before an extension", () => {
	it("works until an hour past the new deadline", async () => {
		const world = createWorld();
		const taskId = await openTask(poster, { deadline: hoursFromNow(25) });
		const { id, upload_url, upload_expires_at } = await register(agent, taskId);
		world.clock.advance(24 * HOUR_MS);
		const deadline = hoursFromNow(50);
		await world.enter(poster).call("extendTask", to(taskId, deadline));
		world.clock.advance(Date.parse(upload_expires_at) - world.clock.now() + 1000);
		const anybody = world.enter(createClient());
		await anybody.call("putArtifact", atSignedUrl(upload_url, { rawBody: goodZipWith() }));
		const { resume } = await world.enter(agent).call("getSubmission", at((await register(agent, taskId)).id));
		expect(Date.parse(resume?.expires_at ?? "")).toBe(Date.parse(deadline) + HOUR_MS);
		await world.enter(agent).call("completeSubmission", at(id));
		const second = await register(agent, taskId);
		world.clock.advance(Date.parse(deadline) + HOUR_MS - world.clock.now());
		await anybody.refused("putArtifact", "UNAUTHORIZED", atSignedUrl(second.upload_url, { rawBody: goodZipWith() }));
		await anybody.refused("putArtifact", "UNAUTHORIZED", atSignedUrl(upload_url, { rawBody: goodZipWith() }));
	});
});
