// Tests real clients on real sockets: npm's `eventsource`, a browser and a plain fetch, with cut connections and evictions.
import { EventSource } from "eventsource";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { findBrowser, NO_BROWSER, shareBrowser } from "../support/browser.ts";
import { openCuttableNetwork } from "../support/cuttable.ts";
import { type HttpCaller, randomAddress, registerCaller, until } from "../support/http.ts";
import { serveLocally } from "../support/local-server.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => {
	server = await startServer();
});
afterAll(() => server.close());

interface Seen {
	readonly event: string;
	readonly id: string;
	readonly data: Record<string, unknown>;
}

interface Client {
	readonly seen: Seen[];
	/** Counts the connections. */
	connections(): number;
	/** Cuts the connection, as a network does; the client reconnects by itself. */
	cut(): void;
	close(): void;
}

/** Returns the same response, whose connection ends with an error if it is cut. */
function breakOnDemand(response: Response): { response: Response; cut: () => void } {
	const reader = response.body?.getReader();
	if (reader === undefined) return { response, cut: () => {} };
	let cut = () => {};
	const body = new ReadableStream<Uint8Array>({
		start(controller) {
			cut = () => {
				reader.cancel().catch(() => {});
				controller.error(new TypeError("The network is down."));
			};
		},
		async pull(controller) {
			const { done, value } = await reader.read();
			if (done) controller.close();
			else controller.enqueue(value);
		},
	});
	const copy = new Response(body, response);
	Object.defineProperty(copy, "url", { value: response.url });
	return { response: copy, cut };
}

/** After a broken connection, the stream asks its clients to wait for 2 to 30 seconds. */
const RECONNECTED_MS = 60_000;

/** Returns an EventSource with a key, whose connections can be cut. */
function listen(caller: HttpCaller, path: string, events: readonly string[]): Client {
	const seen: Seen[] = [];
	let connections = 0;
	let cut = () => {};
	const source = new EventSource(`${server.url}${path}`, {
		async fetch(url, init) {
			connections += 1;
			const headers = { ...init.headers, Authorization: `Bearer ${caller.key}`, "CF-Connecting-IP": randomAddress() };
			const response = await fetch(url, { ...init, headers });
			const breakable = breakOnDemand(response);
			cut = breakable.cut;
			return breakable.response;
		},
	});
	for (const event of events) {
		source.addEventListener(event, ({ lastEventId, data }) => {
			seen.push({ event, id: lastEventId, data: JSON.parse(data) });
			if (event === "terminal") source.close();
		});
	}
	return { seen, connections: () => connections, cut: () => cut(), close: () => source.close() };
}

it("an EventSource follows a task across cut connections, without a repeat and never out of date", async () => {
	const poster = await registerCaller(server);
	const watcher = await registerCaller(server);
	const [first, second, third, fourth] = [48, 49, 50, 51].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
	const draft = await poster.call<{ id: string }>("POST", "/api/v1/tasks", {
		title: "Watched",
		budget_cents: 50_000,
		deadline: first,
		criteria: [{ name: "Parser", weight: 100 }],
	});
	const path = `/api/v1/tasks/${draft.id}/events/stream`;
	const owner = listen(poster, path, ["task", "terminal"]);
	await until(() => owner.seen.length === 1, "the draft");
	await poster.call("PATCH", `/api/v1/tasks/${draft.id}`, { deadline: second });
	await until(() => owner.seen.length === 2, "the change");
	owner.cut();
	// The task changes while no client is connected.
	await poster.call("PATCH", `/api/v1/tasks/${draft.id}`, { deadline: third });
	await poster.call("PATCH", `/api/v1/tasks/${draft.id}`, { deadline: fourth });
	await until(() => owner.seen.at(-1)?.data["deadline"] === fourth, "the present state", RECONNECTED_MS);
	await poster.call("POST", `/api/v1/tasks/${draft.id}/publish`);
	const other = listen(watcher, path, ["task", "terminal"]);
	await until(() => owner.seen.at(-1)?.data["status"] === "open" && other.seen.length === 1, "the opening");
	// Nothing happens while no client is connected.
	owner.cut();
	other.cut();
	await until(() => owner.connections() === 3 && other.connections() === 2, "the reconnections", RECONNECTED_MS);
	await poster.call("POST", `/api/v1/tasks/${draft.id}/close`);
	await until(() => owner.seen.at(-1)?.event === "terminal" && other.seen.at(-1)?.event === "terminal", "the end");
	const states = (client: Client) => client.seen.map(({ event, data }) => [event, data["deadline"], data["status"]]);
	// The client reconnects between the two changes, or after both.
	expect(states(owner).filter(([, deadline]) => deadline !== third)).toEqual([
		["task", first, "draft"],
		["task", second, "draft"],
		["task", fourth, "draft"],
		["task", fourth, "open"],
		["task", fourth, "closed"],
		["terminal", fourth, "closed"],
	]);
	expect(states(other)).toEqual(states(owner).slice(-3));
	for (const { seen } of [owner, other]) expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
});

/** Reads the stream with fetch as a careful page does, and reconnects with the last id it has. */
const PAGE = `<!doctype html><title>Watcher</title><script>
	const seen = [];
	let connections = 0;
	async function read(url, key, lastId, take) {
		const headers = { Authorization: "Bearer " + key, ...(lastId === null ? {} : { "Last-Event-ID": lastId }) };
		const response = await fetch(url, { headers });
		if (!response.ok) throw new Error("The answer was " + response.status);
		connections += 1;
		const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
		let text = "";
		for (;;) {
			const { done, value } = await reader.read();
			if (done) return;
			const blocks = (text + value).split("\\n\\n");
			text = blocks.pop();
			for (const block of blocks) take(Object.fromEntries(block.split("\\n").map((line) => line.split(/: ?(.*)/s))));
		}
	}
	async function follow(url, key) {
		let lastId = null;
		for (;;) {
			const take = ({ event, id, data }) => {
				lastId = id ?? lastId;
				if (data !== undefined) seen.push({ event, id, data: JSON.parse(data) });
			};
			try {
				await read(url, key, lastId, take);
			} catch {}
			if (seen.at(-1)?.event === "terminal") return;
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}
</script>`;

/** Returns a page of another origin than the API's. */
const servePage = () => serveLocally((_, response) => response.setHeader("Content-Type", "text/html; charset=utf-8").end(PAGE));

const seenBy = (page: Page) => page.evaluate<Seen[]>("seen");

it("a page of another origin in Chromium follows a task to its close across a broken network", async (context) => {
	context.skip(findBrowser() === null, NO_BROWSER);
	const poster = await registerCaller(server);
	const deadlines = [48, 49, 50].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
	const criteria = [{ name: "Parser", weight: 100 }];
	const task = await poster.call<{ id: string }>("POST", "/api/v1/tasks", {
		...{ title: "Watched", budget_cents: 50_000, deadline: deadlines[0], criteria },
	});
	const [network, site, browser] = await Promise.all([openCuttableNetwork(server.url), servePage(), shareBrowser()]);
	const page = await browser.newPage();
	try {
		await page.goto(site.url);
		const stream = `${network.url}/api/v1/tasks/${task.id}/events/stream`;
		await page.evaluate(`void follow(${JSON.stringify(stream)}, ${JSON.stringify(poster.key)})`);
		await until(async () => (await seenBy(page)).length === 1, "the draft");
		network.cut();
		for (const deadline of deadlines.slice(1)) await poster.call("PATCH", `/api/v1/tasks/${task.id}`, { deadline });
		await until(async () => (await seenBy(page)).at(-1)?.data["deadline"] === deadlines[2], "the present state");
		await poster.call("POST", `/api/v1/tasks/${task.id}/publish`);
		network.cut();
		await until(async () => (await page.evaluate<number>("connections")) === 3, "the second return");
		await poster.call("POST", `/api/v1/tasks/${task.id}/close`);
		await until(async () => (await seenBy(page)).at(-1)?.event === "terminal", "the end");
		const seen = await seenBy(page);
		const states = seen.map(({ event, data }) => [event, data["deadline"], data["status"]]);
		// The page reconnects between the two changes, or after both.
		expect(states.filter(([, deadline]) => deadline !== deadlines[1])).toEqual([
			["task", deadlines[0], "draft"],
			["task", deadlines[2], "draft"],
			["task", deadlines[2], "open"],
			["task", deadlines[2], "closed"],
			["terminal", deadlines[2], "closed"],
		]);
		expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length);
	} finally {
		await page.close();
		await site.stop();
		await network.close();
	}
});
