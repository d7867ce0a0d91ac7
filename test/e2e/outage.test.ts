// A supplier of models is down for four real minutes, which is longer than five attempts at one evaluation take.
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTask, registerCaller } from "../support/http.ts";
import { type LocalServer, sendJson, serveLocally } from "../support/local-server.ts";
import { readPrompt } from "../support/model-prompts.ts";
import { able } from "../support/probed-models.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { MINUTE_MS, SECOND_MS } from "../support/times.ts";

const OUTAGE_MS = 4 * MINUTE_MS;
/** The longest pause between two looks is ten minutes. */
const MENDED_MS = 13 * MINUTE_MS;
const AGENTS = 6;

let [isDown, calls] = [false, 0];
let model: LocalServer;
let server: RunningServer;

beforeAll(async () => {
	model = await serveLocally(async (request, response) => {
		const prompt = readPrompt(JSON.parse(await text(request)));
		calls += 1;
		if (isDown) {
			sendJson(response, 503, { error: { message: "Down for maintenance." } });
			return;
		}
		const message = { role: "assistant", content: JSON.stringify(able(prompt)) };
		sendJson(response, 200, {
			choices: [{ index: 0, finish_reason: "stop", message }],
			usage: { prompt_tokens: 1_000, completion_tokens: 100 },
		});
	});
	server = await startServer({
		vars: {
			...{ JUDGE: "openai", JUDGE_API_KEY: "test-key", JUDGE_MODELS: "model-a", JUDGE_BASE_URL: `${model.url}/v1` },
			...{ JUDGE_CONFIRM: "false", JUDGE_CHECK: "false" },
		},
	});
});

afterAll(async () => {
	await server?.close();
	await model?.stop();
});

interface Work {
	readonly status: string;
	readonly waiting_for: { readonly reason: string } | null;
	readonly quota: { readonly used: number };
	readonly scores: { readonly final_score: number } | null;
}

interface Readiness {
	readonly judge: { readonly suppliers: readonly { readonly name: string; readonly open_since: string | null }[] };
}

const openSuppliers = async () => {
	const { judge }: Readiness = await (await fetch(`${server.url}/ready`)).json();
	return judge.suppliers.flatMap(({ name, open_since }) => (open_since === null ? [] : [name]));
};

it("judges every submission of an outage once it is over, and each keeps its one slot", async () => {
	const poster = await registerCaller(server);
	const taskId = await openTask(poster, { criteria: [{ name: "Parser", weight: 100, checks: ["It splits lines", "It splits cells"] }] });
	const agents = await Promise.all(Array.from({ length: AGENTS + 1 }, () => registerCaller(server)));
	const files = { "src/parse.ts": "export const parse = (text: string) => text.split(lineEnd).map((line) => line.split(separator));\n" };
	const submit = async (agent: (typeof agents)[number]) => {
		const { id } = await agent.call<{ id: string }>("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files });
		return () => agent.call<Work>("GET", `/api/v1/submissions/${id}`);
	};
	const [first, ...others] = agents;
	if (first === undefined) throw new Error("There is no agent.");
	const early = await submit(first);
	await expect.poll(async () => (await early()).status, { timeout: MINUTE_MS, interval: SECOND_MS }).toBe("completed");

	isDown = true;
	const works = await Promise.all(others.map(submit));
	await expect.poll(openSuppliers, { timeout: MINUTE_MS, interval: SECOND_MS }).toEqual(["default"]);
	// Attempts that had begun before the supplier was open end within a minute. From then on, one job a minute asks whether it is well.
	await delay(MINUTE_MS);
	const callsBefore = calls;
	await delay(OUTAGE_MS - MINUTE_MS);
	expect(calls - callsBefore).toBeLessThanOrEqual(OUTAGE_MS / MINUTE_MS);
	for (const read of works) expect(await read()).toMatchObject({ status: "running", waiting_for: { reason: "supplier" } });

	isDown = false;
	const readAll = () => Promise.all(works.map((read) => read()));
	await expect
		.poll(async () => (await readAll()).map(({ status }) => status), { timeout: MENDED_MS, interval: 10 * SECOND_MS })
		.toEqual(works.map(() => "completed"));
	for (const work of await readAll()) expect(work).toMatchObject({ waiting_for: null, quota: { used: 1 }, scores: { final_score: 100 } });
	await expect.poll(openSuppliers, { timeout: MINUTE_MS, interval: SECOND_MS }).toEqual([]);
}, 1_500_000);
