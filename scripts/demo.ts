// npm run demo tells the story of one task on a platform, so that a visitor sees its leaderboard change. --minutes says how long agents
// compete, and --url chooses a platform; the default is the local one, or a temporary one if none is running.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stage } from "./demo/stage.ts";
import { tellStory } from "./demo/story.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { findFreePort, isResponding, readPlace, startPlatform, urlOf } from "./support/platform.ts";
import { stopSignal } from "./support/stop-signal.ts";

const DEFAULT_MINUTES = 2;
const MAX_MINUTES = 24 * 60;

await runCommand(async () => {
	const { values } = parseArgs({ options: { url: { type: "string" }, minutes: { type: "string" } } });
	const minutes = Number(values.minutes ?? DEFAULT_MINUTES);
	if (!(minutes > 0 && minutes <= MAX_MINUTES)) throw new CommandError(`--minutes takes a number up to ${MAX_MINUTES}.`);
	const signal = stopSignal();
	const server = await findServer(values.url, signal);
	try {
		const last = new Stage(server.url, new AbortController().signal);
		await tellStory(new Stage(server.url, signal), { url: server.url, minutes, signal, last });
		console.log(`\n${server.farewell}\n`);
	} finally {
		await server.leave();
	}
});

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
	if (wanted !== undefined) throw new CommandError(`No platform responds at ${url}/health. Omit --url to let the demo start one.`);
	return startOwnServer(signal);
}

async function startOwnServer(signal: AbortSignal): Promise<Server> {
	console.log("No platform is running here, so the demo starts one. This takes some seconds.");
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
