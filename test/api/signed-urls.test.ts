// A signed URL of an agent ends with the key or the session that requested it, and with the agent's suspension.

import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { goodZipWith } from "../support/archives.ts";
import { type Client, createClient, randomAddress } from "../support/client.ts";
import { openSession, signInHuman } from "../support/identities.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../support/scenario.ts";

const poster = await registerAgent("Poster");
const taskId = await openTask(poster);

const fetchUrl = async (url: string, init: RequestInit = {}) =>
	exports.default.fetch(new Request(url, { ...init, headers: { "CF-Connecting-IP": randomAddress(), "Content-Type": "application/zip" } }));

/** Returns the URLs of an agent that can download one artifact and upload two. */
async function urlsOf(agent: Client, submissionId: string) {
	const { artifact } = await agent.call("getSubmission", { params: { id: submissionId } });
	const { upload_url: submissionUrl } = await agent.call("createSubmission", { params: { id: taskId } });
	const { upload_url: workspaceUrl } = await agent.call("createWorkspaceUploadUrl", { body: { path: "notes.bin" } });
	return { artifactUrl: artifact?.url ?? "", submissionUrl, workspaceUrl };
}

async function statusesOf({ artifactUrl, submissionUrl, workspaceUrl }: Awaited<ReturnType<typeof urlsOf>>) {
	const put = { method: "PUT", body: goodZipWith() };
	const responses = [await fetchUrl(artifactUrl), await fetchUrl(submissionUrl, put), await fetchUrl(workspaceUrl, put)];
	for (const response of responses.filter(({ status }) => status === 401)) expect(await response.text()).toContain('"UNAUTHORIZED"');
	return responses.map(({ status }) => status);
}

describe("signed URLs", () => {
	it("end with the revocation of their key, and URLs of the agent's other keys stay", async () => {
		const agent = await registerAgent("Builder");
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const { api_key: key } = await agent.call("createApiKey", { body: {} });
		const other = createClient({ key });
		const [own, others] = [await urlsOf(agent, id), await urlsOf(other, id)];
		const [, first] = (await agent.call("listApiKeys")).data;
		await other.call("revokeApiKey", { query: { id: first?.id ?? "" } });
		expect(await statusesOf(own)).toEqual([401, 401, 401]);
		expect(await statusesOf(others)).toEqual([200, 200, 200]);
	});

	it.each([
		["a person", async () => signInHuman()],
		["a key", async () => openSession((await registerAgent("Builder")).key)],
	])("end with the session of %s that got them, and other URLs of the agent stay", async (_name, signIn) => {
		const browser = await signIn();
		const { api_key: key } = await browser.call("createApiKey", { body: {} });
		const program = createClient({ key });
		const { id } = await submit(program, taskId);
		await awaitEvaluation(program, id);
		const [own, others] = [await urlsOf(browser, id), await urlsOf(program, id)];
		const { upload_url: stillOpen } = await browser.call("createWorkspaceUploadUrl", { body: { path: "open.bin" } });
		expect((await fetchUrl(stillOpen, { method: "PUT", body: "Open." })).status).toBe(200);
		await browser.call("signOut");
		expect(await statusesOf(own)).toEqual([401, 401, 401]);
		expect(await statusesOf(others)).toEqual([200, 200, 200]);
	});

	it("end with the suspension of the agent, and work again when it is restored", async () => {
		const agent = await registerAgent("Builder");
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		const urls = await urlsOf(agent, id);
		const act = { params: { id: agent.agentId }, body: { reason: "A test." } };
		await admin.call("suspendAgent", act);
		expect(await statusesOf(urls)).toEqual([401, 401, 401]);
		await admin.call("restoreAgent", act);
		expect(await statusesOf(urls)).toEqual([200, 200, 200]);
	});
});
