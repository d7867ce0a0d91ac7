// Tests requests that are repeated with an Idempotency-Key: every endpoint that makes something makes it once, and repeats its first
// response.
import { describe, expect, it } from "vitest";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { runSweep } from "../../src/queues/sweeps.ts";
import { endpoints } from "../support/app.ts";
import type { CallInput } from "../support/client.ts";
import { readStoredReply } from "../support/directory.ts";
import { createStage, type ReadyCall } from "../support/fault-stage.ts";
import { outsideServices } from "../support/outside-services.ts";
import { hoursFromNow, registerAgent, taskInput } from "../support/scenario.ts";
import { DAY_MS, MINUTE_MS } from "../support/times.ts";
import { REPEATABLE_CALLS } from "../support/write-calls.ts";

function contractOf(name: string): EndpointContract {
	const contract = endpoints.find(({ operationId }) => operationId === name);
	if (contract === undefined) throw new Error(`There is no operation ${name}.`);
	return contract;
}

async function prepare(name: string) {
	const stage = createStage(outsideServices());
	const ready = await REPEATABLE_CALLS[name]?.(stage);
	if (ready === undefined) throw new Error(`${name} has no call.`);
	const { key, ...input } = ready;
	const client = stage.enter(key);
	// The platform signs a download URL anew, so that a repeated response contains one that works.
	const send = async (idempotencyKey: string, change: CallInput = {}) => {
		const headers = { ...input.headers, "Idempotency-Key": idempotencyKey };
		const response = await client.send(contractOf(name), { ...input, ...change, headers });
		const { download_url: _fresh, ...body } = Object(await response.json());
		return { status: response.status, isReplayed: response.headers.get("Idempotency-Replayed") === "true", body };
	};
	return { stage, input, send };
}

/** These functions build a body for each endpoint that differs from its call in write-calls.ts. */
const OTHER_BODIES: Readonly<Record<string, (input: Omit<ReadyCall, "key">) => CallInput>> = {
	createTask: () => ({ body: taskInput({ title: "Another", deadline: hoursFromNow(60) }) }),
	cloneTask: () => ({ body: { title: "Another" } }),
	quickSubmit: () => ({ body: { files: { "other.md": "Another" } } }),
	createSubmission: () => ({ body: { agent_display_name: "Another" } }),
	startDryRun: () => ({ body: { files: { "other.md": "Another" } } }),
	addAttachment: () => {
		const form = new FormData();
		form.set("file", new File(["a,b\n3,4\n"], "other.csv", { type: "text/csv" }));
		form.set("field", "description");
		return { rawBody: form };
	},
	createDeal: ({ body }) => ({ body: { ...Object(body), dealValueCents: 999 } }),
	createWebhook: ({ body }) => ({ body: { ...Object(body), url: "https://other.example/events" } }),
	createApiKey: () => ({ body: { name: "another" } }),
	createOperatorToken: () => ({ body: { label: "another" } }),
	mintChildKey: () => ({ body: { display_name: "Another" } }),
	askQuestion: () => ({ body: { text: "Another question?" } }),
	createAppeal: () => ({ body: { reason: "Another reason." } }),
	advanceClock: () => ({ body: { advance_seconds: 61 } }),
	createReport: ({ body }) => ({ body: { ...Object(body), reason: "Another." } }),
};

it("accepts an Idempotency-Key on every POST that makes something or advances a clock, except if the caller is unknown", () => {
	const making = endpoints.filter(
		({ method, response, auth }) => method === "post" && [201, 202].includes(response.status) && auth !== "none" && auth !== "admin",
	);
	// These replace what has the same name, so repeating them changes nothing. A passkey's challenge works once.
	const replacing = ["uploadTestSuite", "storeWorkspaceFile", "finalizeWorkspaceUpload", "addPasskey"];
	const named = making.map(({ operationId }) => operationId).filter((name) => !replacing.includes(name));
	// A clock never goes back, so advancing it twice by mistake could not be undone.
	const expected = [...named, "advanceClock"];
	const declared = endpoints.filter(({ idempotent }) => idempotent !== undefined).map(({ operationId }) => operationId);
	expect(declared.toSorted()).toEqual(expected.toSorted());
	expect(Object.keys(REPEATABLE_CALLS).toSorted()).toEqual(expected.toSorted());
	const headers = endpoints.flatMap(({ operationId, headers: known }) =>
		known?.shape["idempotency-key"] === undefined ? [] : [operationId],
	);
	expect(headers.toSorted()).toEqual(expected.toSorted());
});

describe.each(Object.keys(REPEATABLE_CALLS))("%s", (name) => {
	const showsSecret = contractOf(name).idempotent === "secret";

	it("repeats the first response, and refuses another body with the same key", async () => {
		const { input, send } = await prepare(name);
		const first = await send("first");
		expect(first).toMatchObject({ status: contractOf(name).response.status, isReplayed: false });
		expect(await send("first")).toEqual({ ...first, isReplayed: true });
		const other = OTHER_BODIES[name]?.(input);
		expect(other).toBeDefined();
		expect(await send("first", other)).toMatchObject({ status: 409, isReplayed: false, body: { error: { code: "CONFLICT" } } });
		expect(await send("first")).toEqual({ ...first, isReplayed: true });
	});

	it("makes one thing of parallel requests with one key", async () => {
		const { send } = await prepare(name);
		const responses = await Promise.all(Array.from({ length: 6 }, () => send("parallel")));
		expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([contractOf(name).response.status]));
		const made = responses.map(({ body }) => body.id ?? body.agent_id ?? body.now);
		expect(new Set(made).size).toBe(1);
		expect(made[0]).toEqual(expect.any(String));
		expect(responses.filter(({ isReplayed }) => isReplayed)).toHaveLength(5);
		const again = await send("parallel");
		expect(again.isReplayed).toBe(true);
		expect(responses.map(({ body }) => body)).toContainEqual(again.body);
	});

	it("refuses keys that are empty, too long or not printable", async () => {
		const { send } = await prepare(name);
		for (const key of ["", "k".repeat(256), "tab\there"]) {
			expect(await send(key)).toMatchObject({ status: 400, body: { error: { code: "VALIDATION_ERROR" } } });
		}
		expect((await send("k".repeat(255))).isReplayed).toBe(false);
	});

	it(`repeats the response for ${showsSecret ? "10 minutes" : "24 hours"}, then ${showsSecret ? "says why not" : "forgets it"}`, async () => {
		const { stage, send } = await prepare(name);
		const first = await send("window");
		const window = showsSecret ? 10 * MINUTE_MS : DAY_MS;
		stage.clock.advance(window - 1);
		expect(await send("window")).toEqual({ ...first, isReplayed: true });
		stage.clock.advance(1);
		const late = await send("window");
		if (showsSecret) expect(late).toMatchObject({ status: 409, body: { error: { code: "CONFLICT" } } });
		else expect(late.isReplayed).toBe(false);
	});
});

describe("the scope of a key", () => {
	it("is one caller and one path", async () => {
		const [ada, bob] = [await registerAgent("Ada"), await registerAgent("Bob")];
		const headers = { "Idempotency-Key": "shared" };
		const input = taskInput();
		const mine = await ada.call("createTask", { headers, body: input });
		expect((await bob.call("createTask", { headers, body: input })).id).not.toBe(mine.id);
		const key = await ada.call("createApiKey", { headers });
		expect((await ada.call("listApiKeys")).data.map(({ id }) => id)).toContain(key.id);
	});

	it("ignores the order of the names in the body", async () => {
		const ada = await registerAgent("Ada");
		const { title, ...others } = taskInput();
		const send = (body: object) => ada.call("createTask", { headers: { "Idempotency-Key": "order" }, body });
		expect((await send({ ...others, title })).id).toBe((await send({ title, ...others })).id);
	});
});

it("repeats the response even if its resource has been deleted", async () => {
	const ada = await registerAgent("Ada");
	const create = { headers: { "Idempotency-Key": "deleted" }, body: taskInput() };
	const draft = await ada.call("createTask", create);
	await ada.call("deleteTask", { params: { id: draft.id } });
	expect(await ada.call("createTask", create)).toEqual(draft);
});

it("stores nothing for a refused request, so its key can be used again", async () => {
	const ada = await registerAgent("Ada");
	const headers = { "Idempotency-Key": "again" };
	await ada.refused("createTask", "INVALID_WEIGHTS", { headers, body: taskInput({ criteria: [{ name: "A", weight: 1 }] }) });
	expect((await ada.call("createTask", { headers, body: taskInput() })).status).toBe("draft");
});

it("repeats an external task's callback token for 10 minutes only", async () => {
	const stage = createStage(outsideServices());
	const ada = await stage.join("Ada");
	const body = taskInput({ eval_callback_url: "https://judge.example/requests" });
	const create = { headers: { "Idempotency-Key": "external" }, body };
	const draft = await ada.call("createTask", create);
	expect(draft.eval_callback_token).toMatch(/^svc_evaltok_/);
	expect(await ada.call("createTask", create)).toEqual(draft);
	stage.clock.advance(10 * MINUTE_MS);
	await ada.refused("createTask", "CONFLICT", create);
});

it("stores responses encrypted, and forgets secrets after 10 minutes and everything after 24 hours", async () => {
	const stage = createStage(outsideServices());
	const ada = await stage.join("Ada");
	const { api_key } = await ada.call("createApiKey", { headers: { "Idempotency-Key": "sealed" } });
	const stored = () => readStoredReply(ada.agentId);
	expect(JSON.stringify(await stored())).not.toContain(api_key);
	expect(await stored()).toEqual({ response_encrypted: expect.stringMatching(/^v1\./) });
	stage.clock.advance(10 * MINUTE_MS);
	await runSweep(stage.deps, "forget");
	expect(await stored()).toEqual({ response_encrypted: null });
	stage.clock.advance(DAY_MS);
	await runSweep(stage.deps, "forget");
	expect(await stored()).toBeNull();
});
