// npm run smoke -- --url https://bounties.example.com tries a deployed platform as a stranger would, and leaves nothing public. It first
// tries what can break because of a binding, the schema or a route: databases, Durable Objects, queues, the judge, streams, webhooks,
// static files. The deployment workflow runs it between staging and production.
import { parseArgs } from "node:util";
import { BountyApiError, type BountyClient, isOver, OPERATIONS } from "../packages/sdk/src/node.ts";
import { type Player, Stage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { readPlace, urlOf } from "./support/platform.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const DEADLINE_MS = 48 * 3_600_000;
const PAGES = ["/health", "/ready", "/openapi.json", "/llms.txt", "/feeds/tasks.xml", "/tasks", "/tasks?q=smoke", "/api/v1/docs"];
/** The platform's own receiver of webhooks repeats challenges. */
const RECEIVER = OPERATIONS.echoChallenge.path;
const NO_JUDGE = "has no judge configured";

const taskBody = () => ({
	title: "Smoke test",
	description: "A task of the deployment's own test.",
	category: "other",
	deadline: new Date(Date.now() + DEADLINE_MS).toISOString(),
	budget_cents: 10_000,
	criteria: [{ name: "Works", description: "The program prints a greeting.", weight: 100 }],
});

const FILES = {
	"SUBMISSION.md": `# What I Built\nA greeting.\n\n# How To Run\n\`node greet.js\`\n\n# Architecture\nOne file.\n\n# What Works\nIt prints.\n\n# Known Limitations\nNone.\n\n# Tradeoffs\nNone.\n`,
	"greet.js": 'console.log("A greeting from the program.");\n',
};

await runCommand(async () => {
	const { values } = parseArgs({ options: { url: { type: "string" }, "without-webhook": { type: "boolean", default: false } } });
	const url = (values.url ?? urlOf(readPlace())).replace(/\/+$/, "");
	const stage = new Stage(url, stopSignal());
	for (const path of PAGES) await step(`GET ${path}`, () => assertAnswers(url + path));
	const player = await step("register an agent", () => stage.enter("Smoke test"));
	try {
		await step("create, lint, list and delete a draft", () => tryDraft(player.client));
		await step("write, read and delete an entry of the workspace", () => tryWorkspace(player.client));
		await tryCompetition(stage, player);
		if (!values["without-webhook"])
			await step("create a webhook, whose receiver repeats the challenge", () => tryWebhook(player.client, url));
	} finally {
		await step("revoke the agent's key", () => revokeOwnKey(player.client));
	}
	console.log(`\n${url} works.`);
});

async function assertAnswers(url: string): Promise<void> {
	const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) }).catch((error: unknown) => {
		throw new CommandError(`${url} did not respond: ${error instanceof Error ? error.message : String(error)}`);
	});
	const text = await response.text();
	if (!response.ok) throw new CommandError(`${url} returned ${response.status}: ${text.slice(0, 500)}`);
}

async function tryDraft(client: BountyClient): Promise<void> {
	const { id } = await client.createTask(taskBody());
	await client.lintTask(id);
	await client.listTasks().page();
	await client.deleteTask(id);
}

async function tryWorkspace(client: BountyClient): Promise<void> {
	const key = "smoke-test";
	const value = { written_at: new Date().toISOString() };
	await client.putWorkspaceEntry(key, { value });
	const stored = await client.getWorkspaceEntry(key);
	if (JSON.stringify(stored.value) !== JSON.stringify(value))
		throw new CommandError("The workspace did not return the value that was written.");
	await client.deleteWorkspaceEntry(key);
}

/** Tries a competition. Only invited agents see the task, so no list, feed or search shows it to anyone else. */
async function tryCompetition(stage: Stage, { client }: Player): Promise<void> {
	const task = await client.createTask({ ...taskBody(), access: "invited" }).catch((error: unknown) => {
		if (error instanceof BountyApiError && error.message.includes(NO_JUDGE)) return null;
		throw error;
	});
	if (task === null) return console.log("--  submit and be judged: this deployment has no judge");
	await step("publish a task that only invited agents see", () => client.publishTask(task.id));
	try {
		const { id } = await step("submit to it", () => client.quickSubmit(task.id, { files: FILES }));
		await step("read one event of the submission's stream", () => readFirstEvent(client, id));
		await step("wait for its score", () => stage.waitFor("waiting for the judge", () => findScore(client, id)));
	} finally {
		await step("close the task", () => client.closeTask(task.id));
	}
}

async function findScore(client: BountyClient, id: string): Promise<number | null> {
	const submission = await client.getSubmission(id);
	const { status, scores, error_message: fault } = submission;
	if (isOver(submission) && status !== "completed") {
		throw new CommandError(`The submission ended as ${status}: ${fault ?? "no reason was given"}`);
	}
	return scores?.final_score ?? null;
}

async function readFirstEvent(client: BountyClient, id: string): Promise<void> {
	const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
	for await (const _ of client.streamSubmission(id, { signal, maxOutageMs: 0 })) return;
	throw new CommandError("The stream ended without an event.");
}

async function tryWebhook(client: BountyClient, url: string): Promise<void> {
	const { id, verified, message } = await client.createWebhook({ url: `${url}${RECEIVER}`, events: ["task.opened"] });
	await client.deleteWebhook(id);
	if (!verified) throw new CommandError(`The platform's own receiver did not verify the webhook: ${message}`);
}

async function revokeOwnKey(client: BountyClient): Promise<void> {
	const [key] = (await client.listApiKeys()).data;
	if (key === undefined) throw new CommandError("The agent's list of keys is empty.");
	await client.revokeApiKey({ id: key.id });
}
