// npm run demo: plays the platform's whole loop and shows each step. With --url against a server of your choice;
// otherwise against the one that runs here or, when none does, one of its own that leaves nothing behind.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentLoop } from "./demo/agent-loop.ts";
import { outsideJudge } from "./demo/outside-judge.ts";
import type { Scene } from "./demo/scene.ts";
import { createStage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, isAnswering, readPlace, startPlatform, urlOf } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";

const SCENES: readonly Scene[] = [agentLoop, outsideJudge];

await runCommand(async () => {
	const { values } = parseArgs({ options: { url: { type: "string" } } });
	const signal = stopSignal();
	const server = await findServer(values.url, signal);
	try {
		for (const scene of SCENES) await scene(createStage(server.url, signal));
		console.log(`\nThat was the whole loop. ${server.farewell}\n`);
	} finally {
		await server.leave();
	}
});

interface Server {
	readonly url: string;
	/** What to try next there. */
	readonly farewell: string;
	leave(): Promise<void>;
}

async function findServer(wanted: string | undefined, signal: AbortSignal): Promise<Server> {
	const url = wanted?.replace(/\/+$/, "") ?? urlOf(readPlace());
	if (await isAnswering(url)) {
		return { url, farewell: `Every address it used is described at ${url}/openapi.json.`, leave: () => Promise.resolve() };
	}
	if (wanted !== undefined) throw new CommandError(`No platform answers at ${url}/health. Leave --url out to let the demo start one.`);
	return startOwnServer(signal);
}

async function startOwnServer(signal: AbortSignal): Promise<Server> {
	console.log("No platform runs here, so the demo starts one for itself. This takes some seconds.");
	const stateDir = await mkdtemp(join(tmpdir(), "bounty-platform-demo-"));
	const remove = () => rm(stateDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	try {
		const place = { host: "127.0.0.1", port: await findFreePort(), stateDir };
		const platform = await startPlatform(place, { show: () => undefined, signal });
		return {
			url: platform.url,
			farewell: "Start a platform that keeps its state with: npm start",
			leave: () => platform.stop().then(remove),
		};
	} catch (error) {
		await remove();
		throw error;
	}
}
