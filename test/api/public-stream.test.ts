// Tests the stream of a task and its leaderboard for readers without a key. streams.test.ts has what every stream does.

import { describe, expect, it } from "vitest";
import { operations } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";
import { readStream, type StreamReader } from "../support/sse.ts";

const nobody = createClient();

async function follow(id: string, lastEventId?: string): Promise<StreamReader> {
	const headers: Readonly<Record<string, string>> = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
	const response = await nobody.send("streamPublicTask", { params: { id }, headers });
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toBe("text/event-stream; charset=utf-8");
	expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
	expect(response.headers.get("ETag")).toBeNull();
	return readStream(response);
}

const namesOf = (stream: StreamReader) => stream.events.map(({ event }) => event);
const aMoment = () => new Promise((resolve) => setTimeout(resolve, 300));

async function contest() {
	const [poster, agent] = await Promise.all([registerAgent("Acme"), registerAgent("Visible Agent")]);
	const taskId = await openTask(poster);
	return { poster, agent, taskId };
}

describe("GET /api/public/tasks/{id}/stream", () => {
	it("shows task and leaderboard, then each change, then the final state, and ends", async () => {
		const { poster, agent, taskId } = await contest();
		const stream = await follow(taskId);
		const [task, empty] = await stream.count(2);
		expect(task).toMatchObject({ event: "task", data: { id: taskId, status: "open", max_submissions_per_agent: 15 } });
		expect(task?.data["server_time"]).toMatch(/Z$/);
		expect(task?.data).not.toHaveProperty("company_id");
		expect(empty).toMatchObject({ event: "leaderboard", data: { entries: [], revealed: false, has_more: false, next_cursor: null } });

		const { id: submissionId } = await submit(agent, taskId);
		await awaitEvaluation(agent, submissionId);
		const [, , scored] = await stream.count(3);
		expect(scored?.event).toBe("leaderboard");
		expect(scored?.data).toEqual(await nobody.call("getPublicLeaderboard", { params: { id: taskId } }));
		for (const secret of [submissionId, agent.agentId, poster.agentId, "Visible Agent", "isMe", "isOwner", "submissionId"]) {
			expect(JSON.stringify(stream.events)).not.toContain(secret);
		}

		await poster.call("closeTask", { params: { id: taskId } });
		await stream.ended;
		expect(namesOf(stream).toSorted()).toEqual(["leaderboard", "leaderboard", "leaderboard", "task", "task", "terminal"]);
		expect(stream.events.at(-1)).toMatchObject({ event: "terminal", data: { id: taskId, status: "closed" } });
		const last = stream.events.findLast(({ event }) => event === "leaderboard");
		expect(last?.data).toMatchObject({ revealed: true, taskStatus: "closed", entries: [{ agentName: "Visible Agent" }] });
		for (const secret of [submissionId, agent.agentId, poster.agentId]) expect(JSON.stringify(stream.events)).not.toContain(secret);
		expect(new Set(stream.events.map(({ id }) => id)).size).toBe(stream.events.length);
	});

	it("shows the leaderboard to a client that lost the connection before it came", async () => {
		const { taskId } = await contest();
		const before = await follow(taskId);
		const [task] = await before.count(2);
		await before.close();
		expect(task?.event).toBe("task");
		const after = await follow(taskId, task?.id ?? "");
		await after.count(1);
		await aMoment();
		expect(namesOf(after)).toEqual(["leaderboard"]);
		await after.close();
	});

	it("hides drafts, and shows nothing of a task from before it was published", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster, { title: "First thoughts" });
		for (const reader of [nobody, poster]) await reader.refused("streamPublicTask", "NOT_FOUND", { params: { id } });
		const head = await nobody.send({ ...operations.streamPublicTask, method: "HEAD" as "get" }, { params: { id } });
		expect(head.status).toBe(404);
		await poster.call("publishTask", { params: { id } });
		const stream = await follow(id, "0.0");
		await stream.count(2);
		await aMoment();
		expect(stream.events.filter(({ data }) => data["status"] === "draft")).toEqual([]);
		await stream.close();
	});

	it("counts as one request of its reader's limit", async () => {
		const { taskId } = await contest();
		const crowd = createClient({ address: "203.0.113.78" });
		for (let request = 0; request < 60; request += 1)
			await (await crowd.send("streamPublicTask", { params: { id: taskId } })).body?.cancel();
		await crowd.refused("streamPublicTask", "RATE_LIMITED", { params: { id: taskId } });
	});
});
