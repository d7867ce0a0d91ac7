// SDK, command line and Python send an Idempotency-Key wherever the OpenAPI document has one, so a lost response has no second effect.
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import * as z from "zod";
import { BountyClient } from "../../packages/sdk/src/index.ts";
import { readProjectFile } from "../../scripts/support/sources.ts";
import { runCli } from "../support/cli.ts";
import { runCommandLine } from "../support/commands.ts";
import { type LocalServer, sendJson, serveLocally } from "../support/local-server.ts";
import { NO_PYTHON, PYTHON } from "../support/python.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const ID = "01a230d9-a660-778d-8de6-c44c789d6478";
const parameterSchema = z.object({ name: z.string().default(""), in: z.string().default("") });
const document = z
	.object({
		paths: z.record(
			z.string(),
			z.record(
				z.string(),
				z.object({ operationId: z.string(), parameters: z.array(parameterSchema).default([]), requestBody: z.unknown().optional() }),
			),
		),
	})
	.parse(JSON.parse(readProjectFile("docs/openapi.json")));

/** These operations accept a key. */
const keyed = Object.entries(document.paths).flatMap(([path, methods]) =>
	Object.entries(methods).flatMap(([method, { operationId: id, parameters, requestBody }]) =>
		parameters.some(({ name }) => name === "Idempotency-Key")
			? [{ id, hasBody: requestBody !== undefined, call: `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, ID)}` }]
			: [],
	),
);

let server: LocalServer;
/** Records the keys of each operation's requests, by method and path. */
let sent: Map<string, (string | undefined)[]>;

beforeEach(async () => {
	sent = new Map();
	server = await serveLocally(async (request, response) => {
		const call = `${request.method} ${request.url}`;
		const keys = sent.get(call) ?? [];
		sent.set(call, [...keys, request.headers["idempotency-key"]?.toString()]);
		// The response to the first request is lost.
		if (keys.length === 0) request.socket.destroy();
		else sendJson(response, 201, { id: ID });
	});
});
afterEach(() => server.stop());

/** Expects that each operation was sent twice under one key, and no two operations had the same. */
function expectKeys(): void {
	expect([...sent.keys()].toSorted()).toEqual(keyed.map(({ call }) => call).toSorted());
	for (const [call, keys] of sent) expect({ call, keys }).toEqual({ call, keys: [expect.stringMatching(/^[\w-]{16,}$/), keys[0]] });
	expect(new Set([...sent.values()].map(([key]) => key)).size).toBe(keyed.length);
}

describe("an Idempotency-Key", () => {
	it("belongs to every POST that makes something or advances a clock, and has a caller", () => {
		expect(keyed.map(({ id }) => id).toSorted()).toEqual(
			[
				...["addAttachment", "advanceClock", "askQuestion", "cloneTask", "createApiKey", "createAppeal", "createDeal"],
				...["createOperatorToken", "createReport", "createSubmission", "createTask", "createWebhook", "mintChildKey", "quickSubmit"],
				"startDryRun",
			].toSorted(),
		);
	});

	it("is sent by the SDK, and repeated after a lost response", async () => {
		const client = new BountyClient({ baseUrl: server.url, apiKey: "svc_sk_test" });
		await Promise.all(
			keyed.map(({ id, call, hasBody }) => {
				const values = call.includes(ID) ? [ID] : [];
				return Reflect.apply(Reflect.get(client, id), client, [...values, ...(hasBody ? [{}] : [])]);
			}),
		);
		expectKeys();
	});

	it("is sent by the command line", async () => {
		const env = { BOUNTY_URL: server.url, BOUNTY_API_KEY: "svc_sk_test" };
		const values = ({ call }: { call: string }) => (call.includes(ID) ? [`id=${ID}`] : []);
		const results = await Promise.all(keyed.map((each) => runCli(["api", each.id, ...values(each), "--body", "{}"], { env })));
		expect(results.filter(({ code }) => code !== 0)).toEqual([]);
		expectKeys();
	});

	it.skipIf(PYTHON === null)(`is sent by Python${PYTHON === null ? `: ${NO_PYTHON}` : ""}`, async () => {
		const program = `import json, sys
from bounty_platform import BountyClient
client = BountyClient(${JSON.stringify(server.url)}, "svc_sk_test")
for operation, path in json.loads(sys.argv[1]):
    client.request(operation, path=path, body={})`;
		const given = JSON.stringify(keyed.map(({ id, call }) => [id, call.includes(ID) ? { id: ID } : {}]));
		const env = { ...process.env, PYTHONPATH: join(PROJECT_ROOT, "packages", "python", "src"), PYTHONDONTWRITEBYTECODE: "1" };
		expect(await runCommandLine([PYTHON ?? "python3", "-c", program, given], { env })).toMatchObject({ code: 0 });
		expectKeys();
	});
});
