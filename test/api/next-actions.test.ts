// The details of an error contain next actions with the ids of the refused request. They work when they are followed.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { ERRORS } from "../../src/domain/errors.ts";
import { createClient, randomAddress } from "../support/client.ts";
import { createDraft, openTask, registerAgent, submit } from "../support/scenario.ts";

const hinted = z.object({ next_actions: z.array(z.object({ method: z.string(), href: z.url(), description: z.string() })).min(1) });

/** Makes the first request that an error suggests. */
async function follow(details: unknown, key: string | null): Promise<{ call: string; status: number }> {
	const [action] = hinted.parse(details).next_actions;
	if (action === undefined) throw new Error("There is no action.");
	const headers = new Headers({ "CF-Connecting-IP": randomAddress() });
	if (key !== null) headers.set("Authorization", `Bearer ${key}`);
	const { status } = await exports.default.fetch(new Request(action.href, { method: action.method, headers }));
	return { call: `${action.method} ${action.href}`, status };
}

describe("next actions", () => {
	it("lead from no key to a key", async () => {
		const { details } = await createClient().refused("whoAmI", "unauthorized");
		expect(await follow(details, null)).toEqual({ call: "POST https://bounty.test/api/v1/agent/register-anonymous", status: 201 });
	});

	it("have the ids of the request", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const taskId = await openTask(poster);
		const { id } = await agent.call("createSubmission", { params: { id: taskId } });
		const { details } = await agent.refused("completeSubmission", "NO_UPLOAD_FOUND", { params: { id } });
		expect(await follow(details, agent.key)).toEqual({ call: `POST https://bounty.test/api/v1/submissions/${id}/upload-url`, status: 200 });
		const published = await poster.refused("publishTask", "INVALID_TRANSITION", { params: { id: taskId } });
		expect(await follow(published.details, poster.key)).toEqual({ call: `GET https://bounty.test/api/v1/tasks/${taskId}`, status: 200 });
	});

	it("help after what does not exist, is not open, or was not declared", async () => {
		const agent = await registerAgent();
		const unknown = await agent.refused("getTask", "NOT_FOUND", { params: { id: "01900000-0000-7000-8000-000000000000" } });
		expect(await follow(unknown.details, agent.key)).toEqual({ call: "GET https://bounty.test/api/v1/tasks", status: 200 });
		const { id } = await createDraft(agent);
		const draft = await agent.refused("quickSubmit", "TASK_NOT_OPEN", { params: { id }, body: { files: { a: "b" } } });
		expect(hinted.parse(draft.details).next_actions).toHaveLength(1);
		expect(await follow(draft.details, agent.key)).toEqual({ call: `GET https://bounty.test/api/v1/tasks/${id}`, status: 200 });
		const owner = await registerAgent();
		const over = await openTask(owner);
		await owner.call("closeTask", { params: { id: over } });
		const closed = await agent.refused("quickSubmit", "TASK_NOT_OPEN", { params: { id: over }, body: { files: { a: "b" } } });
		expect(await follow(closed.details, agent.key)).toEqual({ call: "GET https://bounty.test/api/v1/tasks", status: 200 });
		const wallet = await agent.refused("createWalletChallenge", "NO_PAYOUT_ADDRESS");
		expect(hinted.parse(wallet.details).next_actions[0]).toMatchObject({ method: "PUT", href: "https://bounty.test/api/v1/wallet" });
	});

	it("lead from a missing file of an artifact to the files that it has", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { id } = await submit(agent, await openTask(poster));
		const { details } = await agent.refused("readSubmissionFile", "NOT_FOUND", { params: { id, path: "absent.js" } });
		expect(hinted.parse(details).next_actions).toHaveLength(1);
		expect(await follow(details, agent.key)).toEqual({ call: `GET https://bounty.test/api/v1/submissions/${id}/files`, status: 200 });
		const unknown = await poster.refused("readSubmissionFile", "NOT_FOUND", {
			params: { id: "01900000-0000-7000-8000-000000000000", path: "absent.js" },
		});
		expect(await follow(unknown.details, poster.key)).toEqual({ call: "GET https://bounty.test/api/v1/submissions", status: 200 });
	});

	it("name the task of a deal, and do not close it", async () => {
		const poster = await registerAgent();
		const taskId = await openTask(poster);
		const body = { taskId, agentId: poster.agentId.replace(/^./, "f"), dealType: "output_purchase", dealValueCents: 1 };
		const { message, details } = await poster.refused("createDeal", "TASK_NOT_CLOSED", { body });
		expect(message).toContain(taskId);
		expect(message).not.toContain("{");
		expect(await follow(details, poster.key)).toEqual({ call: `GET https://bounty.test/api/v1/tasks/${taskId}`, status: 200 });
	});

	it("and messages have the ids of the request, never a placeholder", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster, { criteria: undefined });
		const unjudgeable = await poster.refused("publishTask", "INVALID_WEIGHTS", { params: { id } });
		expect(unjudgeable.message).toContain(`PUT /api/v1/tasks/${id}/rubric`);
		const { warnings } = await createDraft(poster, { criteria: [{ name: "Code", description: "Good.", weight: 100 }] });
		expect(warnings[0]?.message).toMatch(/POST \/api\/v1\/tasks\/[0-9a-f-]{36}\/lint/);
	});

	it("and messages tell the owner of a draft what is missing", async () => {
		const poster = await registerAgent();
		const { id } = await createDraft(poster);
		const { message } = await poster.refused("quickSubmit", "TASK_NOT_OPEN", { params: { id }, body: { files: { a: "b" } } });
		expect(message).toBe("The task is your own draft. It accepts submissions after you publish it.");
	});

	it.each<readonly [string, unknown, string]>([
		["a file under another name", { file: { "a.js": "1" } }, "files is required, such as"],
		["a list", { files: [{ path: "a.js", content: "1" }] }, "files must be an object that maps paths to contents, such as"],
	])("and messages show the format of files, after %s", async (_, body, beginning) => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const { message } = await agent.refused("quickSubmit", "INVALID_BODY", { params: { id: await openTask(poster) }, body });
		expect(message).toBe(`${beginning} {"files": {"SUBMISSION.md": "# What I Built"}}`);
	});

	it("and messages of errors never suggest to delete, revoke or close anything", () => {
		const messages = Object.values(ERRORS).map(({ message }) => message);
		expect(messages.filter((message) => /\b(delete|revoke|close) |\bDELETE \//i.test(message))).toEqual([]);
	});

	it("leave other details as they are", async () => {
		const agent = await registerAgent();
		const { details } = await agent.refused("createTask", "INVALID_BODY", { body: {} });
		expect(z.array(z.strictObject({ path: z.string(), message: z.string() })).parse(details).length).toBeGreaterThan(0);
	});
});
