// Agents of frameworks that others wrote play the loop over MCP, with a model that follows a script: it checks the tools that it gets by
// OpenAI's rules, and fills in arguments as models do in strict mode. `npm run clients` plays the larger frameworks too.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playFramework, QUICK_FRAMEWORKS } from "../../scripts/clients/frameworks.ts";
import { openLargestTask } from "../../scripts/clients/scene.ts";
import { findLacking, Workplace } from "../../scripts/clients/workplace.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	server = await startServer();
	await openLargestTask(server.url, "Parse CSV files");
});
afterAll(() => server?.close());

const lacking = await findLacking(["python3"]);

describe.each(QUICK_FRAMEWORKS)("$name", (framework) => {
	const place = new Workplace(`test-${framework.name}`);
	const isLacking = framework.needs.some((need) => lacking.includes(need));
	let command: Awaited<ReturnType<typeof framework.install>>;
	beforeAll(async () => {
		if (isLacking) return;
		await place.open();
		command = await framework.install(place);
	});

	it.each(framework.modes)("plays the loop with %s tools", async (mode) => {
		if (isLacking) return console.log(`SKIPPED: ${framework.name} needs ${framework.needs.join(", ")}.`);
		const { strictTools } = await playFramework(place, { url: server.url, mode, command });
		// A strict schema names all that it may contain, so one tool or another may stay plain, but not most of them.
		if (mode === "strict") expect(strictTools).toBeGreaterThanOrEqual(15);
	});
});
