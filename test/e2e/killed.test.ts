// The test kills `npm start` while agents submit, and starts it again with the same state. Nothing that it has acknowledged may be lost
// or doubled.
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { z } from "zod";
import { makeHome, startAtHome } from "../support/commands.ts";
import { openTask, randomAddress, registerCaller, until } from "../support/http.ts";

/** More kills need more submissions between them. */
const KILLS = Number(process.env["KILLS"] ?? 2);
const AGENTS = 12;
const SUBMISSIONS_PER_AGENT = 4 * KILLS;
const MAX_TRIES = 200;
/** All submissions are judged in this time. */
const SCORES_MS = 180_000;

const submitted = z.object({ id: z.string() });
const submission = z.object({ evaluated: z.boolean() });
const list = z.object({ data: z.array(z.object({ id: z.string() })) });

it("npm start loses and doubles no acknowledged submission when it is killed, and judges each once", async () => {
	const home = await makeHome();
	try {
		let platform = await startAtHome(home);
		const { url } = platform;
		const poster = await registerCaller({ url });
		const taskId = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: AGENTS }, () => registerCaller({ url })));
		const acknowledged = new Map<string, string>();
		let unanswered = 0;

		/** Repeats a submission until there is a response, as the SDK does. */
		const submit = async (key: string, name: string): Promise<void> => {
			for (let tried = 0; tried < MAX_TRIES; tried += 1) {
				const response = await fetch(`${url}/api/v1/tasks/${taskId}/quick-submit`, {
					method: "POST",
					headers: {
						Authorization: `Bearer ${key}`,
						"CF-Connecting-IP": randomAddress(),
						"Content-Type": "application/json",
						"Idempotency-Key": name,
					},
					body: JSON.stringify({ files: { "SUBMISSION.md": `# What I Built\nA parser, ${name}.\n`, "work.txt": `quotes ${name}` } }),
				}).catch(() => null);
				const text = await response?.text().catch(() => null);
				if (response?.status === 201 && typeof text === "string") {
					acknowledged.set(name, submitted.parse(JSON.parse(text)).id);
					return;
				}
				if (response !== null && typeof text === "string" && response.status < 500)
					throw new Error(`Submitting: ${response.status} ${text}`);
				unanswered += 1;
				await delay(500);
			}
			throw new Error(`${name} was never acknowledged.`);
		};
		const work = Promise.all(
			agents.map(async ({ key }, agent) => {
				for (let index = 0; index < SUBMISSIONS_PER_AGENT; index += 1) await submit(key, `agent-${agent}-work-${index}`);
			}),
		);

		const total = AGENTS * SUBMISSIONS_PER_AGENT;
		for (let kill = 1; kill <= KILLS; kill += 1) {
			await until(() => acknowledged.size >= (kill * total) / (KILLS + 1), "submissions", 120_000);
			await platform.kill();
			platform = await startAtHome(home);
		}
		await work;
		expect(unanswered).toBeGreaterThan(0);
		const ids = [...acknowledged.values()];
		expect([ids.length, new Set(ids).size]).toEqual([total, total]);

		const keyOf = (name: string) => agents[Number(name.split("-")[1])];
		const read = async ([name, id]: [string, string]) => submission.parse(await keyOf(name)?.call("GET", `/api/v1/submissions/${id}`));
		// Asking for all of them at each look would keep the platform from judging.
		const end = Date.now() + SCORES_MS;
		for (const named of acknowledged) await until(async () => (await read(named)).evaluated, "scores", end - Date.now());
		for (const [name, id] of acknowledged) {
			const { data } = list.parse(await keyOf(name)?.call("GET", `/api/v1/submissions/${id}/evaluations`));
			expect({ name, evaluations: data.length }).toEqual({ name, evaluations: 1 });
		}
		const stored = new Set<string>();
		for (let cursor = ""; ; ) {
			const page = z
				.object({ data: z.array(z.object({ id: z.string() })), pagination: z.object({ next_cursor: z.string().nullable() }) })
				.parse(await poster.call("GET", `/api/v1/tasks/${taskId}/submissions?limit=100${cursor}`));
			for (const { id } of page.data) stored.add(id);
			if (page.pagination.next_cursor === null) break;
			cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`;
		}
		expect(stored).toEqual(new Set(ids));
		await platform.stop("SIGTERM");
	} finally {
		await home.remove();
	}
}, 900_000);
