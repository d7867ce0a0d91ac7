// Tests the poster's list of its own tasks, and deleting drafts.
import { describe, expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { changeTask } from "../support/house.ts";
import {
	attachmentForm,
	createDraft,
	GOOD_FILES,
	hoursFromNow,
	openTask,
	type RegisteredClient,
	registerAgent,
	testSuiteForm,
} from "../support/scenario.ts";
import { listBucket } from "../support/storage.ts";
import { collectAll, expectObjectsOfRowsOnly } from "../support/stored-objects.ts";

const at = (id: string) => ({ params: { id } });

/** Returns two tasks in each state, oldest first, and creates another poster's tasks among them. */
async function taskInEachState(poster: RegisteredClient) {
	const other = await registerAgent();
	const ids: { readonly id: string; readonly status: string }[] = [];
	for (const status of ["draft", "open", "evaluating", "closed", "open", "draft", "closed", "evaluating"]) {
		const id = status === "draft" ? (await createDraft(poster)).id : await openTask(poster);
		if (status === "closed") await poster.call("closeTask", at(id));
		if (status === "evaluating") await changeTask(id, { status });
		ids.push({ id, status });
		await createDraft(other);
	}
	return ids.toReversed();
}

async function listAll(poster: RegisteredClient, query: { readonly limit: number; readonly status: readonly string[] }): Promise<string[]> {
	const seen: string[] = [];
	for (let cursor: string | null = null; ; ) {
		const page: { data: { id: string }[]; next_cursor: string | null } = await poster.call("listTasks", {
			query: { owner: "me", ...query, ...(cursor === null ? {} : { cursor }) },
		});
		seen.push(...page.data.map(({ id }) => id));
		cursor = page.next_cursor;
		if (cursor === null) return seen;
	}
}

describe("GET /api/v1/tasks?owner=me", () => {
	it("lists the caller's own tasks in every state, newest first, in pages of any size", async () => {
		const poster = await registerAgent();
		const expected = await taskInEachState(poster);
		for (const statuses of [[], ["draft"], ["open", "closed"], ["draft", "open", "evaluating", "closed"], ["open", "open"]]) {
			const wanted = expected.filter(({ status }) => statuses.length === 0 || statuses.includes(status)).map(({ id }) => id);
			for (const limit of [1, 3, 100]) {
				expect(await listAll(poster, { limit, status: statuses })).toEqual(wanted);
			}
		}
	});

	it("counts competitors and submissions, registered ones included", async () => {
		const [poster, agent, rival] = [await registerAgent(), await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		for (const client of [agent, agent, rival]) await client.call("createSubmission", at(taskId));
		const { data } = await poster.call("listTasks", { query: { owner: "me" } });
		expect(data).toMatchObject([{ id: taskId, status: "open", competitor_count: 2, submission_count: 3 }]);
		const listed = await agent.call("listTasks", { query: { limit: 100 } });
		expect(listed.data.filter((task) => "competitor_count" in task || "submission_count" in task)).toEqual([]);
	});

	it("rejects another owner, and filters of open tasks", async () => {
		const poster = await registerAgent();
		for (const query of [
			{ owner: "" },
			{ owner: poster.agentId },
			{ owner: "me", status: "done" },
			{ owner: "me", category: "general" },
			{ owner: "me", eval_mode: "llm" },
			{ owner: "me", min_budget_cents: 1 },
			{ owner: "me", cursor: "2080-01-01T00:00:00Z" },
		]) {
			await poster.refused("listTasks", "VALIDATION_ERROR", { query });
		}
	});

	it("is the only list of tasks that are not open: without it, only status=open is accepted", async () => {
		const poster = await registerAgent();
		for (const status of ["draft", "evaluating", "closed", ["open", "closed"]]) {
			const { message } = await poster.refused("listTasks", "VALIDATION_ERROR", { query: { status } });
			expect(message).toContain("owner=me");
		}
		const id = await openTask(poster, { category: "only open" });
		const { data } = await poster.call("listTasks", { query: { status: "open", category: "only open" } });
		expect(data.map((task) => task.id)).toEqual([id]);
	});
});

describe("DELETE /api/v1/tasks/{id}", () => {
	it("deletes a draft with all that belongs to it", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		await poster.call("updateTask", { ...at(id), body: { deadline: hoursFromNow(90) } });
		await poster.call("uploadTestSuite", { ...at(id), rawBody: testSuiteForm() });
		const attachment = await poster.call("addAttachment", { ...at(id), rawBody: attachmentForm() });
		const dryRun = await poster.call("startDryRun", { ...at(id), body: { files: GOOD_FILES } });
		await expect.poll(async () => (await poster.call("getDryRun", at(dryRun.id))).status).toBe("completed");
		expect(await poster.call("getDashboardStats")).toMatchObject({ company: { tasks_posted: 1, tasks_by_status: { draft: 1 } } });
		expect(await poster.call("deleteTask", at(id))).toEqual({ id, deleted: true });
		await poster.refused("getTask", "NOT_FOUND", at(id));
		await poster.refused("deleteTask", "NOT_FOUND", at(id));
		await poster.refused("getDryRun", "NOT_FOUND", at(dryRun.id));
		expect(await poster.call("getDashboardStats")).toMatchObject({ company: { tasks_posted: 0, tasks_by_status: { draft: 0 } } });
		expect((await poster.call("listTasks", { query: { owner: "me" } })).data).toEqual([]);
		const url = new URL(attachment.download_url);
		await createClient().refused("downloadAttachment", "NOT_FOUND", {
			params: { id, attachmentId: attachment.id },
			query: Object.fromEntries(url.searchParams),
		});
		await expect.poll(async () => (await listBucket()).filter((key) => key.includes(id))).toEqual([]);
		await collectAll();
		await expectObjectsOfRowsOnly();
	});

	it("refuses everything but drafts", async () => {
		const poster = await registerAgent();
		const id = await openTask(poster);
		await poster.refused("deleteTask", "INVALID_TRANSITION", at(id));
		await poster.call("closeTask", at(id));
		await poster.refused("deleteTask", "INVALID_TRANSITION", at(id));
		expect(await poster.call("getTask", at(id))).toMatchObject({ status: "closed" });
	});

	it("in parallel with an attachment or a test suite leaves no object without a task", async () => {
		const poster = await registerAgent();
		// The upload waits in the bucket while the draft is deleted.
		for (const [operation, form] of [
			["addAttachment", attachmentForm],
			["uploadTestSuite", testSuiteForm],
		] as const) {
			const { id } = await createDraft(poster);
			const deps = testDeps();
			const bucket = new Proxy(deps.bucket, {
				get: (target, name) => {
					const value = Reflect.get(target, name);
					if (name !== "put") return typeof value === "function" ? value.bind(target) : value;
					return async (...input: Parameters<R2Bucket["put"]>) => {
						await poster.call("deleteTask", at(id));
						return target.put(...input);
					};
				},
			});
			const slow = createClient({ key: poster.key, fetch: (request) => createApp(() => ({ ...deps, bucket })).fetch(request) });
			await slow.refused(operation, "NOT_FOUND", { ...at(id), rawBody: form() });
			await deps.settled();
			await expectObjectsOfRowsOnly();
		}
	});
});
