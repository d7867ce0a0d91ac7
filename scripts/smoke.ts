// npm run smoke -- --url https://bounties.example.com tries a deployed platform as a stranger would, and leaves nothing public. It tries
// first what a broken binding, schema or route breaks: databases, Durable Objects, queues, the judge, streams, webhooks, static files.
// The deployment workflow runs it between staging and production.
import { parseArgs } from "node:util";
import { EventSource } from "eventsource";
import { closeTask } from "../src/features/competition/lifecycle/close-task.ts";
import { publishTask } from "../src/features/competition/lifecycle/publish-task.ts";
import { getSubmission } from "../src/features/competition/submissions/get-submission.ts";
import { quickSubmit } from "../src/features/competition/submissions/quick-submit.ts";
import { createTask } from "../src/features/competition/tasks/create-task.ts";
import { deleteTask } from "../src/features/competition/tasks/delete-task.ts";
import { lintTask } from "../src/features/competition/tasks/lint-task.ts";
import { listTasks } from "../src/features/competition/tasks/list-tasks.ts";
import { streamSubmission } from "../src/features/events/streams/stream-submission.ts";
import { createWebhook } from "../src/features/events/webhooks/create-webhook.ts";
import { deleteWebhook } from "../src/features/events/webhooks/delete-webhook.ts";
import { echoChallenge } from "../src/features/events/webhooks/echo-challenge.ts";
import { listKeys } from "../src/features/identity/api-keys/list-keys.ts";
import { revokeKey } from "../src/features/identity/api-keys/revoke-key.ts";
import { deleteEntry } from "../src/features/identity/workspace/delete-entry.ts";
import { getEntry } from "../src/features/identity/workspace/get-entry.ts";
import { putEntry } from "../src/features/identity/workspace/put-entry.ts";
import type { Player, Stage } from "./demo/scene.ts";
import { createStage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { readPlace, urlOf } from "./support/platform.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const DEADLINE_MS = 48 * 3_600_000;
const PAGES = ["/health", "/ready", "/openapi.json", "/llms.txt", "/feeds/tasks.json", "/tasks", "/tasks?q=smoke", "/api/v1/docs"];
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
	const stage = createStage(url, stopSignal());
	for (const path of PAGES) await step(`GET ${path}`, () => assertAnswers(url + path));
	const player = await step("register an agent", () => stage.enter("Smoke test"));
	try {
		await step("create, lint, list and delete a draft", () => tryDraft(player));
		await step("write, read and delete an entry of the workspace", () => tryWorkspace(player));
		await tryCompetition(stage, player, url);
		if (!values["without-webhook"]) await step("create a webhook, whose receiver repeats the challenge", () => tryWebhook(player, url));
	} finally {
		await step("revoke the agent's key", () => revokeOwnKey(player));
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

async function tryDraft(player: Player): Promise<void> {
	const { id } = await player.call(createTask, { body: taskBody() });
	await player.call(lintTask, { params: { id } });
	await player.call(listTasks);
	await player.call(deleteTask, { params: { id } });
}

async function tryWorkspace(player: Player): Promise<void> {
	const params = { key: "smoke-test" };
	const value = { written_at: new Date().toISOString() };
	await player.call(putEntry, { params, body: { value } });
	const stored = await player.call(getEntry, { params });
	if (JSON.stringify(stored.value) !== JSON.stringify(value))
		throw new CommandError("The workspace returned another value than was written.");
	await player.call(deleteEntry, { params });
}

/** Tries a competition. Only invited agents see the task, so no list, feed or search shows it to anyone else. */
async function tryCompetition(stage: Stage, player: Player, url: string): Promise<void> {
	const task = await player.call(createTask, { body: { ...taskBody(), access: "invited" } }).catch((error: unknown) => {
		if (error instanceof CommandError && error.message.includes(NO_JUDGE)) return null;
		throw error;
	});
	if (task === null) return console.log("--  submit and be judged: this deployment has no judge");
	const params = { id: task.id };
	await step("publish a task that only invited agents see", () => player.call(publishTask, { params }));
	try {
		const { id } = await step("submit to it", () => player.call(quickSubmit, { params, body: { files: FILES } }));
		await step("read one event of the submission's stream", () => readFirstEvent(player, url + streamSubmission.path.replace("{id}", id)));
		await step("wait for its score", () => stage.waitFor("waiting for the judge", () => findScore(player, id)));
	} finally {
		await step("close the task", () => player.call(closeTask, { params }));
	}
}

async function findScore(player: Player, id: string): Promise<number | null> {
	const { status, scores, error_message: fault } = await player.call(getSubmission, { params: { id } });
	if (status !== "registered" && status !== "running" && status !== "completed") {
		throw new CommandError(`The submission ended as ${status}: ${fault ?? "no reason was given"}`);
	}
	return scores?.final_score ?? null;
}

async function readFirstEvent(player: Player, url: string): Promise<void> {
	const source = new EventSource(url, {
		fetch: (input, init) => fetch(input, { ...init, headers: { ...init.headers, Authorization: `Bearer ${player.key}` } }),
	});
	const { promise, resolve, reject } = Promise.withResolvers<void>();
	const timer = setTimeout(
		() => reject(new CommandError(`${url} sent no event in ${REQUEST_TIMEOUT_MS / 1_000} seconds.`)),
		REQUEST_TIMEOUT_MS,
	);
	source.addEventListener("submission", () => resolve());
	source.addEventListener("terminal", () => resolve());
	try {
		await promise;
	} finally {
		clearTimeout(timer);
		source.close();
	}
}

async function tryWebhook(player: Player, url: string): Promise<void> {
	const body = { url: url + echoChallenge.path, events: ["task.opened" as const] };
	const { id, verified, message } = await player.call(createWebhook, { body });
	await player.call(deleteWebhook, { params: { id } });
	if (!verified) throw new CommandError(`The platform's own receiver did not verify the webhook: ${message}`);
}

async function revokeOwnKey(player: Player): Promise<void> {
	const [key] = (await player.call(listKeys)).data;
	if (key === undefined) throw new CommandError("The agent's list of keys is empty.");
	await player.call(revokeKey, { query: { id: key.id } });
}
