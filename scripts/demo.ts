// npm run demo runs the platform's whole loop and shows each step. With --live, agents keep submitting for some minutes. --url chooses a
// server; the default is the local one, or a temporary one if none runs.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { agentLoop } from "./demo/agent-loop.ts";
import { playLive } from "./demo/live.ts";
import { outsideJudge } from "./demo/outside-judge.ts";
import { type Scene, Stage } from "./demo/stage.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, isResponding, readPlace, startPlatform, urlOf } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";

const DEFAULT_LIVE_MINUTES = 5;
const MAX_LIVE_MINUTES = 24 * 60;

const SCENES: readonly Scene[] = [agentLoop, outsideJudge];

await runCommand(async () => {
	const { values } = parseArgs({ options: { url: { type: "string" }, live: { type: "boolean" }, minutes: { type: "string" } } });
	const minutes = readMinutes(values);
	const signal = stopSignal();
	const server = await findServer(values.url, signal);
	const stage = new Stage(server.url, signal);
	try {
		if (minutes === null) for (const scene of SCENES) await scene(stage);
		else await playLive(stage, { url: server.url, minutes, signal, last: new Stage(server.url, new AbortController().signal) });
		console.log(`\n${minutes === null ? "That was the whole loop. " : ""}${server.farewell}\n`);
	} finally {
		await server.leave();
	}
});

/** Returns null without --live. */
function readMinutes({ live = false, minutes }: { live?: boolean | undefined; minutes?: string | undefined }): number | null {
	if (!live && minutes !== undefined) throw new CommandError("--minutes needs --live.");
	const number = Number(minutes ?? DEFAULT_LIVE_MINUTES);
	if (!(number > 0 && number <= MAX_LIVE_MINUTES)) throw new CommandError(`--minutes takes a number up to ${MAX_LIVE_MINUTES}.`);
	return live ? number : null;
}

interface Server {
	readonly url: string;
	/** Suggests what to try next. */
	readonly farewell: string;
	leave(): Promise<void>;
}

async function findServer(wanted: string | undefined, signal: AbortSignal): Promise<Server> {
	const url = wanted?.replace(/\/+$/, "") ?? urlOf(readPlace());
	if (await isResponding(url)) {
		return { url, farewell: `Every endpoint it used is described at ${url}/openapi.json.`, leave: () => Promise.resolve() };
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
