// Tests streams and waiting: how the SDK handles broken connections, proxies, limits and servers that go away.
import { afterEach, describe, expect, it } from "vitest";
import { BountyApiError, type BountyClient, BountyTimeoutError } from "../../packages/sdk/src/index.ts";
import { hangUp, openStream, proxyError, refuse, type ScriptedPlatform, sse, startScripted, type Turn } from "./scripted.ts";

const STREAM = "GET /api/v1/submissions/s/stream";
const STATE = "GET /api/v1/submissions/s";
const running = (iteration: number) => ({ id: "s", status: "running", evaluated: false, scores: null, iteration });
const completed = { ...running(9), status: "completed", evaluated: true, scores: { final_score: 87 } };

let platform: ScriptedPlatform | undefined;
afterEach(() => platform?.stop());

async function start(scripts: Parameters<typeof startScripted>[0]): Promise<ScriptedPlatform> {
	platform = await startScripted(scripts);
	return platform;
}

/** Waits, and returns what was reported until the end. */
async function wait(client: BountyClient, options: Parameters<BountyClient["waitForSubmission"]>[1] = {}) {
	const seen: string[] = [];
	const end = await client.waitForSubmission("s", {
		...options,
		onProgress: ({ status, iteration }) => seen.push(`${status} ${iteration}`),
	});
	return { end, seen };
}

describe("waiting for a submission", () => {
	it("reports each state once, and ends with the last", async () => {
		const { client, calls } = await start({
			[STATE]: () => running(0),
			[STREAM]: ({ response }) => {
				openStream(response);
				for (const [index, state] of [running(0), running(1), running(1)].entries()) response.write(sse("submission", `${index}`, state));
				response.end(sse("terminal", "9", completed));
			},
		});
		expect(await wait(client())).toEqual({ end: completed, seen: ["running 0", "running 1", "completed 9"] });
		expect(calls().toSorted()).toEqual([STATE, STREAM]);
	});

	it("loses nothing between two connections, because it reads the state after opening each", async () => {
		// Everything happens while no stream is open, and no stream ever reports it.
		let connections = 0;
		const { client, received } = await start({
			[STATE]: () => (connections > 1 ? completed : running(0)),
			[STREAM]: (turn) => {
				connections += 1;
				openStream(turn.response);
				turn.response.write(sse("submission", `e${connections}`, running(0)));
				if (connections === 1) setTimeout(() => hangUp(turn), 50);
			},
		});
		expect((await wait(client())).end).toEqual(completed);
		const ids = received.filter(({ call }) => call === STREAM).map(({ headers }) => headers["last-event-id"]);
		expect(ids).toEqual([undefined, "e1"]);
	});

	it("survives a connection that is cut every second", async () => {
		const startedAt = Date.now();
		const isDone = () => Date.now() - startedAt > 5_000;
		const { client, calls } = await start({
			[STATE]: (turn) => (turn.count % 3 === 1 ? hangUp(turn) : isDone() ? completed : running(0)),
			[STREAM]: (turn) => {
				openStream(turn.response);
				setTimeout(() => hangUp(turn), 1_000);
			},
		});
		expect((await wait(client())).end).toEqual(completed);
		expect(calls().filter((call) => call === STREAM).length).toBeGreaterThan(1);
	});

	it("survives 429 and faults of a proxy, and honours Retry-After", async () => {
		const trouble: ((turn: Turn) => unknown)[] = [
			({ response }) => refuse(response, { status: 429, code: "RATE_LIMITED", headers: { "Retry-After": "1" } }),
			({ response }) => proxyError(response, 500),
			({ response }) => proxyError(response, 503),
		];
		const { client } = await start({
			[STATE]: (turn) =>
				trouble[turn.count]?.(turn) ?? (turn.count < trouble.length ? undefined : turn.count < 6 ? running(turn.count) : completed),
			[STREAM]: (turn) => trouble[turn.count % 3]?.(turn),
		});
		const startedAt = Date.now();
		expect((await wait(client(), { pollMs: 50 })).end).toEqual(completed);
		expect(Date.now() - startedAt).toBeGreaterThanOrEqual(1_000);
	});

	it("polls if no stream gets through", async () => {
		const { client, calls } = await start({
			[STATE]: ({ count }) => (count < 5 ? running(count) : completed),
			[STREAM]: ({ response }) => response.writeHead(200, { "Content-Type": "text/html" }).end("<p>no streams here</p>"),
		});
		expect(await wait(client(), { pollMs: 20 })).toMatchObject({
			end: completed,
			seen: [0, 1, 2, 3, 4].map((n) => `running ${n}`).concat("completed 9"),
		});
		expect(calls().filter((call) => call === STREAM).length).toBeLessThan(4);
	});

	it("starts again if the stream has ended and the submission is judged once more", async () => {
		const { client } = await start({
			[STATE]: ({ count }) => (count === 0 ? running(1) : completed),
			[STREAM]: ({ response }) => response.writeHead(204).end(),
		});
		expect((await wait(client())).end).toEqual(completed);
	});

	it("also ends if judging failed", async () => {
		const failed = { ...running(0), status: "evaluation_failed", error_message: "The judge is away." };
		const { client } = await start({ [STATE]: () => failed, [STREAM]: ({ response }) => openStream(response) });
		expect((await wait(client())).end).toEqual(failed);
	});

	it("throws at once for errors that waiting does not solve", async () => {
		const { client } = await start({ [STREAM]: ({ response }) => refuse(response, { status: 401, code: "unauthorized" }) });
		await expect(client().waitForSubmission("s")).rejects.toMatchObject({ name: "BountyApiError", code: "unauthorized" });
	});

	it("ends after timeoutMs, with a signal, and after maxOutageMs", async () => {
		const { client, stop } = await start({ [STATE]: () => running(0), [STREAM]: ({ response }) => openStream(response) });
		await expect(client().waitForSubmission("s", { timeoutMs: 200 })).rejects.toThrow(BountyTimeoutError);
		const controller = new AbortController();
		setTimeout(() => controller.abort(new Error("enough")), 100);
		await expect(client().waitForSubmission("s", { signal: controller.signal })).rejects.toThrow("enough");
		await stop();
		await expect(client({ maxRetries: 0 }).waitForSubmission("s", { maxOutageMs: 300 })).rejects.toThrow(/failed/);
	});
});

describe("streams", () => {
	const PATH = "GET /api/v1/tasks/t/events/stream";

	async function collect(events: AsyncIterable<{ type: string; id: string }>): Promise<string[]> {
		const seen: string[] = [];
		for await (const { type, id } of events) seen.push(`${type} ${id}`);
		return seen;
	}

	it("continue after the last event, however they are split", async () => {
		const { client, received } = await start({
			[PATH]: async (turn) => {
				openStream(turn.response);
				if (turn.count === 0) {
					for (const piece of ["\ufeff: x\r\n", "retry: 10\r\nevent: ta", "sk\r", '\nid: 1\ndata: {"a":\r\ndata: "ü"}\r\n\r\n']) {
						turn.response.write(piece);
						await new Promise((resolve) => setTimeout(resolve, 10));
					}
					turn.response.write("event: task\nid: lost\ndata: {}");
					setTimeout(() => hangUp(turn), 50);
				} else turn.response.end(sse("task", "2", {}) + sse("terminal", "3", {}));
			},
		});
		const events: unknown[] = [];
		for await (const event of client().streamTask("t")) events.push(event);
		expect(events).toEqual([
			{ type: "task", id: "1", data: { a: "ü" } },
			{ type: "task", id: "2", data: {} },
			{ type: "terminal", id: "3", data: {} },
		]);
		expect(received.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1"]);
	});

	it("continue from an id that the caller kept, and end with 204", async () => {
		const { client, received } = await start({ [PATH]: ({ response }) => response.writeHead(204).end() });
		expect(await collect(client().streamTask("t", { lastEventId: "7" }))).toEqual([]);
		expect(received[0]?.headers["last-event-id"]).toBe("7");
	});

	it("throw the platform's error if the key is revoked, and try again if the platform has a fault", async () => {
		const envelope = (code: string) => ({ error: { code, message: `It is ${code}.` } });
		const { client } = await start({
			[PATH]: ({ response, count }) => {
				openStream(response);
				response.end(sse("error", "1", envelope(count === 0 ? "INTERNAL_ERROR" : "unauthorized")));
			},
		});
		await expect(collect(client().streamTask("t"))).rejects.toThrow(BountyApiError);
		expect(platform?.calls()).toHaveLength(2);
	});

	it("close the connection if the reader stops", async () => {
		let isClosed = false;
		const { client } = await start({
			[PATH]: ({ response, request }) => {
				request.socket.on("close", () => {
					isClosed = true;
				});
				openStream(response);
				response.write(sse("task", "1", {}));
			},
		});
		for await (const _ of client().streamTask("t")) break;
		await expect.poll(() => isClosed).toBe(true);
	});
});

describe("waiting for a dry run", () => {
	it("ends after timeoutMs, even if a request hangs", async () => {
		let turns = 0;
		const { client } = await start({
			"GET /api/v1/dry-runs/d": () => {
				turns += 1;
				return turns < 3 ? { id: "d", status: "running" } : new Promise(() => {});
			},
		});
		await expect(client().waitForDryRun("d", { timeoutMs: 300, pollMs: 10 })).rejects.toThrow(BountyTimeoutError);
		// The request that hangs was ended and not repeated.
		expect(turns).toBeLessThanOrEqual(3);
	});
});
