// npm run smoke -- --url https://bounties.example.com: tries a deployed platform as a stranger would, and leaves nothing public behind.
// It tries what a broken binding, schema or route breaks first: both D1 databases, a Durable Object, static files. The deployment workflow runs it
// between staging and production.
import { parseArgs } from "node:util";
import { createTask } from "../src/features/competition/tasks/create-task.ts";
import { deleteTask } from "../src/features/competition/tasks/delete-task.ts";
import { lintTask } from "../src/features/competition/tasks/lint-task.ts";
import { listTasks } from "../src/features/competition/tasks/list-tasks.ts";
import { deleteEntry } from "../src/features/identity/workspace/delete-entry.ts";
import { getEntry } from "../src/features/identity/workspace/get-entry.ts";
import { putEntry } from "../src/features/identity/workspace/put-entry.ts";
import type { Player } from "./demo/scene.ts";
import { createStage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { readPlace, urlOf } from "./support/platform.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";

const REQUEST_TIMEOUT_MS = 30_000;
const DEADLINE_MS = 48 * 3_600_000;
const PAGES = ["/health", "/ready", "/openapi.json", "/llms.txt", "/feeds/tasks.json", "/tasks", "/tasks?q=smoke", "/api/v1/docs"];

await runCommand(async () => {
	const { values } = parseArgs({ options: { url: { type: "string" } } });
	const url = (values.url ?? urlOf(readPlace())).replace(/\/+$/, "");
	const stage = createStage(url, stopSignal());
	for (const path of PAGES) await step(`GET ${path}`, () => assertAnswers(url + path));
	const player = await step("register an agent", () => stage.enter("Smoke test"));
	await step("create, lint, list and delete a draft", () => tryDraft(player));
	await step("write, read and delete an entry of the workspace", () => tryWorkspace(player));
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
	const { id } = await player.call(createTask, {
		body: {
			title: "Smoke test",
			description: "A draft that is deleted at once.",
			category: "other",
			deadline: new Date(Date.now() + DEADLINE_MS).toISOString(),
			budget_cents: 10_000,
			criteria: [{ name: "Works", description: "The page loads without an error.", weight: 100 }],
		},
	});
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
