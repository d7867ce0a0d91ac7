// npm run clients generates clients from the platform's documents with other projects' generators, and compiles them unedited. It plays
// the loop with each twice, the second time with an additional field in every object. It also plays other projects' agent frameworks over
// MCP. It reports and skips what the machine lacks. docs/clients.json has the results, which two pages show.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FRAMEWORKS } from "./clients/frameworks.ts";
import { OTHERS } from "./clients/generators-other.ts";
import { TYPESCRIPT } from "./clients/generators-typescript.ts";
import { OPENAPI_GENERATOR } from "./clients/openapi-generator.ts";
import { playAgent, playClient } from "./clients/play.ts";
import { type Result, storeResults } from "./clients/results.ts";
import { openLargestTask } from "./clients/scene.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, startPlatform } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";

const CLIENTS = [...OPENAPI_GENERATOR, ...OTHERS, ...TYPESCRIPT];
const NAMES = [...CLIENTS, ...FRAMEWORKS].map(({ name }) => name);

await runCommand(async () => {
	const { values } = parseArgs({ options: { only: { type: "string" }, list: { type: "boolean" } } });
	if (values.list === true) return console.log(NAMES.join("\n"));
	const wanted = values.only?.split(",") ?? NAMES;
	const unknown = wanted.filter((name) => !NAMES.includes(name));
	if (unknown.length > 0) throw new CommandError(`There is no ${unknown.join(", ")}. --list shows all.`);
	const results = await playAll(wanted);
	const failed = results.filter(({ isWorking }) => !isWorking);
	if (failed.length > 0)
		throw new CommandError(`${failed.length} of ${results.length} failed: ${failed.map(({ name }) => name).join(", ")}`);
});

async function playAll(wanted: readonly string[]): Promise<Result[]> {
	const state = await mkdtemp(join(tmpdir(), "clients-"));
	const place = { host: "127.0.0.1", port: await findFreePort(), stateDir: state };
	const platform = await startPlatform(place, { show: () => undefined, signal: stopSignal() });
	try {
		const taskId = await openLargestTask(platform.url, "Parse CSV files");
		const results: Result[] = [];
		const keep = async (result: Result | null) => {
			if (result === null) return;
			results.push(result);
			await storeResults([result], NAMES);
		};
		for (const client of CLIENTS) if (wanted.includes(client.name)) await keep(await playClient(client, { url: platform.url, taskId }));
		for (const framework of FRAMEWORKS) if (wanted.includes(framework.name)) await keep(await playAgent(framework, platform));
		return results;
	} finally {
		await platform.stop();
		await rm(state, { recursive: true, force: true });
	}
}
