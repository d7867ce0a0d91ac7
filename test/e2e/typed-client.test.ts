// Tests a client with types generated from docs/openapi.json: it compiles, its mistakes do not, and it runs the loop. The document
// describes every response, stream and webhook.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readClosedDocument } from "../support/closed-document.ts";
import { runCommandLine } from "../support/commands.ts";
import { until } from "../support/http.ts";
import type { Operation } from "../support/openapi-document.ts";
import { type LocalReceiver, startReceiver } from "../support/receiver.ts";
import { readPages } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { readStream } from "../support/sse.ts";
import { MISTAKES, PROGRAM } from "../support/typed-client/program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url).href);
const document = readClosedDocument();

const LOOP_TIMEOUT_MS = 600_000;

const TSCONFIG = {
	compilerOptions: {
		target: "ES2024",
		lib: ["ESNext", "DOM", "DOM.Iterable"],
		module: "NodeNext",
		types: ["node"],
		strict: true,
		noUncheckedIndexedAccess: true,
		exactOptionalPropertyTypes: true,
		allowImportingTsExtensions: true,
		erasableSyntaxOnly: true,
		skipLibCheck: true,
		noEmit: true,
	},
};

let folder: string;
let server: RunningServer;
let receiver: LocalReceiver;

beforeAll(async () => {
	// The folder is inside the project, so that the program finds its packages.
	const parent = join(ROOT, ".wrangler", "typed-client");
	await mkdir(parent, { recursive: true });
	folder = await mkdtemp(join(parent, "run-"));
	receiver = await startReceiver();
	[server] = await Promise.all([startServer(), writeClient()]);
});

afterAll(async () => {
	await server?.close();
	await receiver?.close();
	if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function writeClient(): Promise<void> {
	const files = {
		"package.json": JSON.stringify({ type: "module" }),
		"tsconfig.json": JSON.stringify(TSCONFIG),
		"loop.ts": PROGRAM,
		"mistakes.ts": MISTAKES,
		"events.ts": documentedFile("guides/streams", "events.ts"),
		"client.ts": documentedFile("api/clients", "client.ts"),
		"wrong.ts": PROGRAM.replace("budget_cents: 50_000", 'budget_cents: "50_000"'),
	};
	await Promise.all([generateTypes(), ...Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text))]);
}

/** Runs what `npx openapi-typescript` runs in a checkout. The flag makes fields with a default optional in request bodies. */
async function generateTypes(): Promise<void> {
	const command = join(ROOT, "node_modules", ".bin", "openapi-typescript");
	const { code, stderr } = await runCommandLine([
		command,
		"docs/openapi.json",
		"--default-non-nullable=false",
		"-o",
		join(folder, "api.ts"),
	]);
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** Returns a file that a page of the documentation shows. */
function documentedFile(slug: string, name: string): string {
	const { samples = [] } = readPages().find((page) => page.slug === slug) ?? {};
	const file = samples.find(({ meta }) => meta["file"] === name);
	if (file === undefined) throw new Error(`The page ${slug} has no file ${name}.`);
	return file.code;
}

it("a client compiles with types from the document, which find every mistake", async () => {
	const { code, stdout } = await runCommandLine([join(ROOT, "node_modules", ".bin", "tsc"), "--project", folder], { cwd: folder });
	expect(stdout.trim().split("\n")).toEqual([
		expect.stringMatching(/^wrong\.ts\(\d+,\d+\): error TS2322: Type 'string' is not assignable to type 'number'\.$/),
	]);
	expect(code).not.toBe(0);
});

const answer = z.object({
	method: z.string(),
	path: z.string(),
	status: z.number(),
	contentType: z.string().nullable(),
	body: z.unknown(),
});
const outcome = z.object({ taskId: z.uuid(), submissionId: z.uuid(), key: z.string() });

it(
	"a client runs the loop, and its responses, webhooks and streams match the document",
	async () => {
		const { code, stdout, stderr } = await runCommandLine([process.execPath, join(folder, "loop.ts"), server.url, receiver.url], {
			cwd: folder,
		});
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		const lines = stdout
			.trim()
			.split("\n")
			.map((line): unknown => JSON.parse(line));
		const ids = outcome.parse(lines.pop());
		const answers = z.array(answer).parse(lines);
		expect(answers.length).toBeGreaterThan(20);
		expect(answers.flatMap(faultsOfAnswer)).toEqual([]);
		await checkPosts();
		await checkStreams(ids);
	},
	LOOP_TIMEOUT_MS,
);

function faultsOfAnswer({ method, path, status, contentType, body }: z.output<typeof answer>): string[] {
	const operation = document.operations.find((candidate) => candidate.path === path && candidate.method === method.toLowerCase());
	const media = operation?.responses[String(status)]?.content?.[contentType?.split(";")[0] ?? ""];
	if (media === undefined) return [`The document does not have ${status} ${contentType} of ${method} ${path}.`];
	return document.faultsOf(media.schema, body).map((fault) => `${method} ${path} ${status}: ${fault}`);
}

const named = z.looseObject({ event: z.string() });

async function checkPosts(): Promise<void> {
	// A task with a working image gets no warning; test/queues/container-blame covers that event.
	const expected = [...document.webhooks.keys()].filter((event) => !["external_eval_request", "task.warning"].includes(event));
	const events = () => new Set(receiver.received.map(({ body }) => named.parse(JSON.parse(body)).event));
	await until(() => expected.every((event) => events().has(event)), expected.join(", "), 45_000);
	for (const { headers, body } of receiver.received) {
		const payload = named.parse(JSON.parse(body));
		const operation = document.webhooks.get(payload.event);
		const schema = operation?.requestBody?.content["application/json"]?.schema ?? { not: {} };
		expect({ event: payload.event, faults: document.faultsOf(schema, payload) }).toEqual({ event: payload.event, faults: [] });
		for (const { name, required, ...header } of operation?.parameters ?? []) {
			const value = headers[name.toLowerCase()];
			if (required || value !== undefined) expect({ name, faults: document.faultsOf(header.schema, value) }).toEqual({ name, faults: [] });
		}
	}
}

async function checkStreams({ taskId, submissionId, key }: z.output<typeof outcome>): Promise<void> {
	const paths = {
		streamSubmission: `/api/v1/submissions/${submissionId}/stream`,
		streamLeaderboard: `/api/v1/tasks/${taskId}/leaderboard/stream`,
		streamTask: `/api/v1/tasks/${taskId}/events/stream`,
		streamPublicTask: `/api/public/tasks/${taskId}/stream`,
	};
	for (const [operationId, path] of Object.entries(paths)) {
		const stream = readStream(await fetch(server.url + path, { headers: { Authorization: `Bearer ${key}` } }));
		await stream.ended;
		expect(stream.events.map(({ event }) => event)).toContain("terminal");
		expect({ operationId, faults: stream.events.flatMap((event) => faultsOfEvent(document.find(operationId), event)) }).toEqual({
			operationId,
			faults: [],
		});
	}
	const bounties = readStream(
		await fetch(`${server.url}/api/v1/bounties/stream`, { headers: { Authorization: `Bearer ${key}`, "Last-Event-ID": "0" } }),
	);
	const events = await bounties.count(1);
	await bounties.close();
	expect(events.flatMap((event) => faultsOfEvent(document.find("streamBounties"), event))).toEqual([]);
}

function faultsOfEvent({ responses }: Operation, { event, data }: { event: string; data: unknown }): string[] {
	return document.faultsOfEvent(responses["200"]?.content?.["text/event-stream"] ?? { schema: {} }, { event, data: JSON.stringify(data) });
}
