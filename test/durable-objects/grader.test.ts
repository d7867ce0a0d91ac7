// Tests the container of the Grader object with a container that exists only in memory, so that no engine is needed.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { ContainerGrader, type ContainerPort } from "../../src/core/judging/grader/container-grader.ts";
import { systemClock } from "../../src/platform/clock.ts";

interface Behaviour {
	/** The container responds with these until it is up. `fail` ends it with an error, like one that was never placed. */
	readonly boot?: readonly ("refuse" | "error" | "exit" | "full" | "hang" | "fail")[];
	/** The runtime returns this message if there is no room. */
	readonly noRoom?: string;
	/** The container never ends when it is destroyed. */
	readonly isStuck?: boolean;
	/** The grader in the container responds with this. */
	readonly answer?: (request: Request) => Response;
}

const OTHER_WORDS = "Maximum number of running container instances exceeded. Try again later.";
const NO_ROOM = "there is no container instance that can be provided to this durable object";

/** Returns a container, the object's storage around it, and a record of what happened to both. */
function fakeHost({ boot = [], answer = () => Response.json({ state: "queued" }), noRoom = NO_ROOM, isStuck = false }: Behaviour = {}) {
	const happened: string[] = [];
	const asked: { method: string; path: string; authorization: string | null }[] = [];
	const state = { running: false, alarm: null as number | null, boots: [...boot], waitedMs: 0, exit: Promise.withResolvers<void>() };
	const steps = {
		refuse: async () => {},
		error: async () => {},
		hang: () => new Promise<void>(() => {}),
		full: async () => {
			throw new Error(noRoom);
		},
		exit: async () => {
			state.running = false;
			state.exit.resolve();
		},
		fail: async () => {
			state.running = false;
			state.exit.reject(new Error(noRoom));
		},
	};
	const port = {
		async fetch(url: string, init?: RequestInit) {
			const step = state.boots.shift();
			if (step !== undefined) await steps[step]();
			if (step === "refuse" || !state.running) throw new Error("the container is not listening");
			const request = new Request(url, init);
			if (request.url.endsWith("/health")) return new Response("", { status: step === "error" ? 500 : 200 });
			asked.push({ method: request.method, path: new URL(url).pathname, authorization: request.headers.get("Authorization") });
			return answer(request);
		},
	};
	const container = {
		get running() {
			return state.running;
		},
		start(options: ContainerStartupOptions) {
			if (state.running) throw new Error("already running");
			state.exit = Promise.withResolvers();
			happened.push(`start ${options.env?.["GRADER_TOKEN"]} internet ${options.enableInternet}`);
			state.running = true;
		},
		monitor: () => state.exit.promise,
		async destroy() {
			happened.push("destroy");
			if (isStuck) await new Promise(() => {});
			state.running = false;
			state.exit.resolve();
		},
		setInactivityTimeout: async () => undefined,
		getTcpPort: () => port,
	};
	const grader = new ContainerGrader({
		container: container as unknown as ContainerPort,
		// A wait ends at once, and only a wait moves this clock.
		clock: {
			...systemClock,
			now: () => Date.now() + state.waitedMs,
			after: (ms, run) =>
				systemClock.after(0, () => {
					state.waitedMs += ms;
					run();
				}),
		},
		log: { info: () => undefined, error: (event) => happened.push(event) },
		readToken: async () => "token-of-this-one",
		setAlarm: async (at) => {
			state.alarm = at;
		},
		deleteAlarm: async () => {
			state.alarm = null;
		},
		background: () => undefined,
	});
	const call = (method: string, path = "/jobs/one-1", body: string | null = null) =>
		grader.serve(new Request(`http://grader${path}`, { method, body }));
	return { grader, call, state, happened, asked };
}

describe("the grader's object", () => {
	it("starts the container with the first job, waits until it listens, and passes the job on with its token", async () => {
		const { call, happened, asked, state } = fakeHost({ boot: ["refuse", "error", "refuse"] });
		const response = await call("POST", "/jobs", "{}");
		expect(await response.json()).toEqual({ state: "queued" });
		expect(happened).toEqual(["start token-of-this-one internet true"]);
		expect(asked).toEqual([{ method: "POST", path: "/jobs", authorization: "Bearer token-of-this-one" }]);
		expect(state.alarm).toBeGreaterThan(Date.now());
	});

	it("starts one container for any number of parallel requests", async () => {
		const { call, happened, asked } = fakeHost({ boot: ["refuse"] });
		await Promise.all([1, 2, 3].map(() => call("POST", "/jobs", "{}")));
		expect(happened).toHaveLength(1);
		expect(asked).toHaveLength(3);
	});

	it("passes reads of the state on, and starts nothing for them", async () => {
		const { call, happened, asked } = fakeHost({ answer: () => Response.json({ state: "running" }) });
		expect((await call("GET")).status).toBe(404);
		expect(happened).toEqual([]);
		await call("POST", "/jobs", "{}");
		expect(await (await call("GET")).json()).toEqual({ state: "running" });
		expect(asked.at(-1)).toEqual({ method: "GET", path: "/jobs/one-1", authorization: "Bearer token-of-this-one" });
	});

	it("forgets a job whose container has died, and starts another for it", async () => {
		const { call, state, happened } = fakeHost();
		await call("POST", "/jobs", "{}");
		state.running = false;
		expect((await call("GET")).status).toBe(404);
		expect((await call("POST", "/jobs", "{}")).status).toBe(200);
		expect(happened).toHaveLength(2);
	});

	it.each(["stop", "alarm"])("ends the container (%s), and stores nothing", async (end) => {
		const { call, grader, state, happened } = fakeHost();
		await call("POST", "/jobs", "{}");
		if (end === "stop") expect((await call("DELETE")).status).toBe(200);
		else await grader.end();
		expect(happened).toEqual([expect.stringMatching(/^start/), "destroy"]);
		expect(state).toMatchObject({ running: false, alarm: null });
		expect((await call("GET")).status).toBe(404);
		expect((await call("DELETE")).status).toBe(200);
	});

	it("waits for an instance that becomes free, and returns 429 if none does, with nothing stored", async () => {
		const soon = fakeHost({ boot: Array.from({ length: 10 }, () => "full" as const) });
		expect((await soon.call("POST", "/jobs", "{}")).status).toBe(200);
		const { call, state, happened } = fakeHost({ boot: Array.from({ length: 100 }, () => "full" as const) });
		expect((await call("POST", "/jobs", "{}")).status).toBe(429);
		expect(happened.at(-1)).toBe("destroy");
		expect(state).toMatchObject({ running: false, alarm: null });
	});

	it.each([
		["while it is looked for", Array.from({ length: 100 }, () => "full" as const), NO_ROOM],
		["while it is looked for, in other words", Array.from({ length: 100 }, () => "full" as const), OTHER_WORDS],
		["by the container's end", ["refuse", "fail"] as const, NO_ROOM],
		["by the container's end, in other words", ["fail"] as const, OTHER_WORDS],
	])("returns 429 if the account has no room, which it learns %s", async (_, boot, noRoom) => {
		const { call, state } = fakeHost({ boot, noRoom });
		expect((await call("POST", "/jobs", "{}")).status).toBe(429);
		expect(state).toMatchObject({ running: false, alarm: null });
		expect((await call("GET")).status).toBe(404);
	});

	it.each([
		["hangs", Array.from({ length: 30 }, () => "hang" as const), 100_000],
		["never listens", Array.from({ length: 300 }, () => "refuse" as const), 100_000],
		["ends by itself", ["refuse", "exit"] as const, 2_000],
		["fails", ["fail"] as const, 2_000],
	])("ends a container whose start %s, reports it, and starts correctly the next time", async (_, boot, mostMs) => {
		const { call, state, happened } = fakeHost({ boot, noRoom: "some other fault" });
		expect((await call("POST", "/jobs", "{}")).status).toBe(425);
		expect(state).toMatchObject({ running: false, alarm: null });
		expect(state.waitedMs).toBeLessThan(mostMs);
		state.boots.splice(0);
		expect((await call("POST", "/jobs", "{}")).status).toBe(200);
		expect(happened.filter((event) => event.startsWith("start"))).toHaveLength(2);
	});

	it("does not wait for a container that cannot be ended", async () => {
		const { call } = fakeHost({ boot: Array.from({ length: 30 }, () => "hang" as const), isStuck: true });
		expect((await call("POST", "/jobs", "{}")).status).toBe(425);
	});

	it("returns 503 if the container dies during the job", async () => {
		const { call, state, happened } = fakeHost();
		await call("POST", "/jobs", "{}");
		state.boots.push("refuse");
		expect((await call("GET")).status).toBe(503);
		expect(happened).toContain("grader_container_unreachable");
	});

	it("returns 503 in a deployment without the container", async () => {
		const response = await env.GRADER.getByName("any").fetch("http://grader/jobs", { method: "POST", body: "{}" });
		expect(response.status).toBe(503);
	});
});
