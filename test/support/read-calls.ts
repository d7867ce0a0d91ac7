// Provides a scene with one resource of each kind, and a request that succeeds for each endpoint that reads.
import { env } from "cloudflare:workers";
import { endpoints } from "../../src/compose/endpoints.ts";
import { trialKey } from "../../src/core/competition/tasks/stored-objects.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { ADMIN_TOKEN } from "./admin.ts";
import { makeIfThere } from "./client.ts";
import { signQuery } from "./common-fixtures.ts";
import { recordDeal } from "./deals.ts";
import type { ReadyCall, Stage } from "./fault-stage.ts";
import { attachmentForm, createDraft, GOOD_FILES, type RegisteredClient, testSuiteForm } from "./scenario.ts";
import { withSession } from "./write-calls.ts";

export interface Scene {
	readonly poster: RegisteredClient;
	/** The agent that has submitted to the poster's task. */
	readonly agent: RegisteredClient;
	readonly session: ReadyCall;
	/** The keys are the text before a parameter in a path, or the parameter's name. */
	readonly names: Readonly<Record<string, string>>;
}

/** Creates a judged submission on a task with files, and the poster's deal, webhook, dry run and workspace. */
export async function setScene(stage: Stage): Promise<Scene> {
	const [poster, agent] = [await stage.join(), await stage.join()];
	const { id: tasks } = await createDraft(poster, { category: "parsing" });
	const at = { params: { id: tasks } };
	const { id: attachmentId } = await poster.call("addAttachment", { ...at, rawBody: attachmentForm() });
	await poster.call("uploadTestSuite", { ...at, rawBody: testSuiteForm() });
	await poster.call("publishTask", at);
	const { id: submissions } = await agent.call("quickSubmit", { ...at, body: { files: GOOD_FILES } });
	await stage.judge();
	await makeIfThere(agent, "askQuestion", { ...at, body: { text: "Which delimiter?" } });
	await agent.call("createReport", { body: { task_id: tasks, reason: "It is spam." } });
	await agent.call("createAppeal", { params: { id: submissions }, body: { reason: "It does that." } });
	const { id: dryRun } = await poster.call("startDryRun", { ...at, body: { files: GOOD_FILES } });
	await stage.judge();
	// The packed files of a dry run exist until it is judged, and the read comes later.
	await env.BUCKET.put(trialKey(tasks, dryRun), "zip");
	const { id: deals } = await recordDeal({ poster, agent });
	// No work is left when the reads begin, so that two of them return the same.
	await stage.judge();
	const { id: webhooks } = await poster.call("createWebhook", { body: { url: "https://receiver.example.com/", events: ["task.opened"] } });
	await poster.call("putWorkspaceEntry", { params: { key: "notes" }, body: { value: 1 } });
	await poster.call("storeWorkspaceFile", { body: { path: "notes.txt", content_base64: btoa("text") } });
	// The directory records once a day that an agent reads its inbox.
	await poster.call("listInbox", {});
	const ids = { tasks, submissions, deals, webhooks, agents: agent.agentId, attachmentId, trials: dryRun, ["dry-runs"]: dryRun };
	const names = {
		slug: "api/errors",
		key: "notes",
		files: "notes.txt",
		provider: "github",
		console: "tasks",
		"oauth-protected-resource": "mcp",
		piece: "quickSubmit.json",
	};
	return { poster, agent, session: await withSession(), names: { ...ids, ...names } };
}

/** The parameters that an endpoint requires in addition to those of its path. */
const QUERIES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	searchTasks: { query: "csv" },
	searchDirectory: { q: "csv" },
	searchDocs: { q: "submit" },
};

export async function readyRead(scene: Scene, contract: EndpointContract): Promise<ReadyCall> {
	const params = paramsOf(contract, scene);
	const input = { params, query: QUERIES[contract.operationId] ?? {} };
	switch (contract.auth) {
		case "key":
			return { key: scene.poster.key, ...input };
		case "session":
			return { ...scene.session, ...input };
		case "admin":
			return { key: ADMIN_TOKEN, ...input };
		case "signed": {
			const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
			return { key: null, params, query: await signQuery("get", path, Date.now() + 3_600_000) };
		}
		default:
			return { key: null, ...input };
	}
}

function paramsOf({ path, operationId }: EndpointContract, { names }: Scene): Record<string, string> {
	if (operationId === "readSubmissionFile") return { id: names["submissions"] ?? "", path: "SUBMISSION.md" };
	if (operationId === "getPackage") return { file: "sdk.tgz" };
	const found = path.matchAll(/\/([\w-]+)\/\{(\w+)\}/g);
	return Object.fromEntries([...found].map(([, before = "", name = ""]) => [name, names[name] ?? names[before] ?? ""]));
}

/**
 * Lists the endpoints that read with a key or without one, and whose path names no resource except an agent. A new endpoint is included
 * automatically.
 */
export function listReadsOfAll(): readonly { operationId: string; path: string; isForKeys: boolean }[] {
	return Object.values(endpoints)
		.filter(({ method, auth }) => method === "get" && (auth === "key" || auth === "none"))
		.filter(({ path }) => !path.includes("/stream") && !path.startsWith("/oauth") && /^[^{]*(?:\/agents\/\{\w+\}[^{]*)?$/.test(path))
		.map(({ operationId, path, auth }) => ({ operationId, path, isForKeys: auth === "key" }));
}
