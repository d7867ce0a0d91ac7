// One event to many watchers: how long until the last one has it, and what is left when they have gone.
import { request } from "node:http";
import { openTask, randomAddress, registerCaller, until } from "../support/http.ts";
import { startServer } from "../support/server.ts";

const DEFAULT_WATCHERS = 2_000;
const CONNECTING_AT_ONCE = 50;
const BUDGET_MS = 500;

interface Watcher {
	isConnected: boolean;
	bountyAt: number | null;
	close(): void;
}

/** A watcher on a socket of its own. */
function watch(url: string, key: string): Watcher {
	const watcher: Watcher = { isConnected: false, bountyAt: null, close: () => call.destroy() };
	const headers = { Authorization: `Bearer ${key}`, "CF-Connecting-IP": randomAddress() };
	const call = request(`${url}/api/v1/bounties/stream`, { headers, agent: false }, (response) => {
		response.on("data", (chunk: Buffer) => {
			const text = chunk.toString();
			if (text.includes("event: connected")) watcher.isConnected = true;
			if (text.includes("event: bounty")) watcher.bountyAt ??= Date.now();
		});
		response.on("error", () => {});
	});
	call.on("error", () => {});
	call.end();
	return watcher;
}

/** `npm run bench -- streams 500` takes another number of watchers. */
export async function run([wanted]: readonly string[]): Promise<void> {
	const total = Number(wanted ?? DEFAULT_WATCHERS);
	const server = await startServer();
	try {
		const poster = await registerCaller(server);
		const watchers: Watcher[] = [];
		while (watchers.length < total) {
			for (let added = 0; added < CONNECTING_AT_ONCE; added += 1) watchers.push(watch(server.url, poster.key));
			await until(() => watchers.every(({ isConnected }) => isConnected), "the watchers", 60_000);
		}
		console.log(`${watchers.length} watchers are connected.`);
		for (let round = 1; round <= 3; round += 1) {
			for (const watcher of watchers) watcher.bountyAt = null;
			await openTask(poster);
			await until(() => watchers.every(({ bountyAt }) => bountyAt !== null), "the bounty", 30_000);
			const times = watchers.map(({ bountyAt }) => bountyAt ?? 0);
			const [first, last] = [Math.min(...times), Math.max(...times)];
			const verdict = last - first <= BUDGET_MS ? "within" : "over";
			console.log(`Event ${round}: the last watcher had it ${last - first} ms after the first (${verdict} the budget of ${BUDGET_MS} ms).`);
		}
		for (const watcher of watchers) watcher.close();
		await until(async () => (await server.countRelays("bounties")) === 0, "the topic to be left", 60_000);
		console.log("All have gone: the topic has no relay left, so no relay has a socket.");
	} finally {
		await server.close();
	}
}
