// Sends requests that are made from the OpenAPI document, and from what it excludes. The document describes every response, none is a
// 5xx, and what the document excludes is rejected. FUZZ_REQUESTS and FUZZ_SEED set how many and which.
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { readClosedDocument } from "../support/closed-document.ts";
import { type HttpCaller, openTask, randomAddress, registerCaller } from "../support/http.ts";
import type { JsonSchema, Operation } from "../support/openapi-document.ts";
import { type RunningServer, startServer } from "../support/server.ts";

const REQUESTS = Number(process.env["FUZZ_REQUESTS"] ?? 1_500);
const SEED = Number(process.env["FUZZ_SEED"] ?? 20_261_123);
const AT_ONCE = 12;
/**
 * Requests share a task and its agents until they are replaced, because some of them close the task, revoke a key or suspend an agent.
 */
const REQUESTS_PER_TASK = 400;
const TIMEOUT_MS = 60_000 + REQUESTS * 60;
const ADMIN_TOKEN = `svc_admin_${"f".repeat(64)}`;

const document = readClosedDocument();
/** These would stop the platform for all others, or wait for the outside world. */
const LEFT_OUT = [
	"setSwitches",
	"setCeilings",
	"rewindTask",
	"rebuildDirectory",
	"verifyObjects",
	"rebuildSearch",
	"callMcp",
	"startSignIn",
	"finishSignIn",
];
const operations = document.operations.filter(({ operationId }) => !LEFT_OUT.includes(operationId));

const schemaView = z.looseObject({
	type: z.union([z.string(), z.array(z.string())]).optional(),
	enum: z.array(z.unknown()).optional(),
	const: z.unknown().optional(),
	anyOf: z.array(z.record(z.string(), z.unknown())).optional(),
	oneOf: z.array(z.record(z.string(), z.unknown())).optional(),
	properties: z.record(z.string(), z.record(z.string(), z.unknown())).optional(),
	additionalProperties: z.union([z.boolean(), z.record(z.string(), z.unknown())]).optional(),
	required: z.array(z.string()).optional(),
	items: z.record(z.string(), z.unknown()).optional(),
	format: z.string().optional(),
	minLength: z.number().optional(),
	maxLength: z.number().optional(),
	minimum: z.number().optional(),
	maximum: z.number().optional(),
	exclusiveMinimum: z.number().optional(),
	minItems: z.number().optional(),
	maxItems: z.number().optional(),
});

const HOSTILE_TEXTS = [
	...[
		"",
		" ",
		"\0",
		"a\0b",
		"\ud800",
		"\u202eabc",
		"\u2066",
		"\r\nX-Injected: 1",
		"../../etc/passwd",
		"%00",
		"%ff",
		"__proto__",
		"constructor",
	],
	...["' or 1=1 --", "<script>alert(1)</script>", "{{7*7}}", "💥".repeat(50), "x".repeat(5_000), "null", "true", "0", "-1", "1e400", "NaN"],
	...["2030-02-30T00:00:00Z", "9999-12-31T23:59:59.999Z", "0000-01-01T00:00:00Z", "http://169.254.169.254/", "javascript:1", "0x0", "*"],
];
const HOSTILE_NUMBERS = [-1, 0, 0.1, 1.5, 2 ** 31, 2 ** 53, -(2 ** 53), 1e308, 5e-324];

const hostileText = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: "binary", maxLength: 40 }));
const anyJson = fc.oneof(hostileText, fc.constantFrom(...HOSTILE_NUMBERS, null, true, false), fc.jsonValue({ maxDepth: 3 }));

/** Returns values that the schema describes, mixed with a few that it excludes. */
function valuesOf(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
	return fc.oneof({ weight: 12, arbitrary: ordinaryValuesOf(schema, depth) }, { weight: 1, arbitrary: anyJson });
}

function ordinaryValuesOf(schema: JsonSchema, depth: number): fc.Arbitrary<unknown> {
	const known = schemaView.parse(document.schemaBehind(schema));
	if (known.const !== undefined) return fc.constant(known.const);
	if (known.enum !== undefined) return fc.constantFrom(...known.enum);
	const choices = known.anyOf ?? known.oneOf;
	if (choices !== undefined && choices.length > 0) return fc.oneof(...choices.map((choice) => valuesOf(choice, depth + 1)));
	const type = Array.isArray(known.type) ? known.type[0] : known.type;
	switch (type) {
		case "string":
			return textsOf(known);
		case "integer":
		case "number":
			return numbersOf(known, type === "integer");
		case "boolean":
			return fc.boolean();
		case "null":
			return fc.constant(null);
		case "array": {
			const least = Math.min(known.minItems ?? 0, 5);
			return fc.array(valuesOf(known.items ?? {}, depth + 1), {
				minLength: least,
				maxLength: Math.max(least, Math.min(known.maxItems ?? 3, 3)),
			});
		}
		case "object":
			return objectsOf(known, depth);
		default:
			return anyJson;
	}
}

type KnownSchema = z.output<typeof schemaView>;

function textsOf({ format, minLength = 0, maxLength = 60 }: KnownSchema): fc.Arbitrary<unknown> {
	if (format === "uuid") return fc.constantFrom(...ids(), "01900000-0000-7000-8000-000000000000");
	if (format === "date-time")
		return fc
			.date({ min: new Date(Date.now() + 3_600_000), max: new Date("2090-01-01"), noInvalidDate: true })
			.map((date) => date.toISOString());
	if (format === "uri") return fc.constantFrom("https://example.com/hook", "https://example.invalid/", "http://127.0.0.1:1/");
	const most = Math.max(minLength, Math.min(maxLength, minLength + 30));
	const plain = fc.string({ minLength, maxLength: most });
	return fc.oneof(plain, fc.constant("x".repeat(Math.min(maxLength, 20_000))), fc.constantFrom("general", "llm", "hybrid", "files/a.txt"));
}

function numbersOf({ minimum, exclusiveMinimum, maximum }: KnownSchema, isInteger: boolean): fc.Arbitrary<unknown> {
	const [least, most] = [Math.max(minimum ?? exclusiveMinimum ?? 0, -1e9), Math.min(maximum ?? 1e9, 1e9)];
	if (isInteger) return fc.integer({ min: Math.ceil(least), max: Math.floor(most) });
	return fc.double({ min: least, max: most, noNaN: true });
}

function objectsOf({ properties = {}, required = [], additionalProperties }: KnownSchema, depth: number): fc.Arbitrary<unknown> {
	if (depth > 5) return fc.constant({});
	const fields = Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema, depth + 1)] as const);
	const known = fc.record(Object.fromEntries(fields), { requiredKeys: required.filter((name) => name in properties) });
	if (typeof additionalProperties !== "object") return known;
	const names = fc.oneof(fc.constantFrom("SUBMISSION.md", "src/main.js", "a"), hostileText);
	const others = fc.dictionary(names, valuesOf(additionalProperties, depth + 1), { maxKeys: 3, noNullPrototype: true });
	return fc.tuple(others, known).map(([some, rest]) => ({ ...some, ...rest }));
}

let server: RunningServer;
let poster: HttpCaller;
let agent: HttpCaller;
let taskId = "";
let submissionId = "";

const ids = () => [taskId, submissionId, poster.agentId, agent.agentId].filter((id) => id !== "");

async function replaceTask(): Promise<void> {
	[poster, agent] = await Promise.all([registerCaller(server), registerCaller(server)]);
	taskId = await openTask(poster);
	const body = { files: { "SUBMISSION.md": "# What I Built\nA parser.\n", "main.js": "export {};\n" } };
	const submitted = await agent.call<{ id: string }>("POST", `/api/v1/tasks/${taskId}/quick-submit`, body);
	submissionId = submitted.id;
}

beforeAll(async () => {
	const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(ADMIN_TOKEN));
	server = await startServer({ vars: { ADMIN_TOKEN_SHA256: Buffer.from(digest).toString("hex") } });
	await replaceTask();
});

afterAll(() => server?.close());

interface FuzzedRequest {
	readonly operation: Operation;
	readonly url: string;
	readonly init: RequestInit;
	/** The document excludes the body. */
	readonly isExcluded: boolean;
}

/** Returns requests of one operation, by the poster, the agent, an operator of the deployment or a caller without a key. */
function requestsOf(operation: Operation): fc.Arbitrary<FuzzedRequest> {
	const { parameters = [], requestBody, method, path } = operation;
	const values = fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema)])), {
		requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name),
	});
	const schema = requestBody?.content["application/json"]?.schema;
	const body =
		schema === undefined
			? fc.constant(undefined)
			: fc.oneof({ weight: 15, arbitrary: valuesOf(schema) }, { weight: 1, arbitrary: fc.constant(NOT_JSON) });
	const isOperators = path.startsWith("/api/admin/") || path === "/api/admin";
	const keys = isOperators ? [ADMIN_TOKEN, ADMIN_TOKEN, poster.key] : [poster.key, poster.key, agent.key, agent.key, null];
	// The check accepts any files, and reports what is wrong with them.
	const isReport = operation.operationId === "checkSubmission";
	return fc.tuple(values, body, fc.constantFrom(...keys)).map(([chosen, sent, key]) => {
		const placed = placeValues(operation, chosen);
		if (key !== null) placed.headers.set("Authorization", `Bearer ${key}`);
		const content = method === "get" ? null : contentOf(sent);
		if (content !== null) placed.headers.set("Content-Type", "application/json");
		const init = { method: method.toUpperCase(), headers: placed.headers, body: content };
		// Where the body is optional, `null` counts as none.
		const isNone = content === null || (sent === null && requestBody?.required !== true);
		return { operation, url: server.url + placed.target, init, isExcluded: !isNone && !isReport && isExcludedBy(schema, sent) };
	});
}

const NOT_JSON = "{not json";

function contentOf(sent: unknown): string | null {
	if (sent === undefined) return null;
	return sent === NOT_JSON ? NOT_JSON : JSON.stringify(sent);
}

function isExcludedBy(schema: JsonSchema | undefined, sent: unknown): boolean {
	return schema !== undefined && (sent === NOT_JSON || document.faultsOf(schema, sent).length > 0);
}

/** Puts the values of parameters into path, query and headers. */
function placeValues({ parameters = [], path }: Operation, chosen: Readonly<Record<string, unknown>>) {
	const headers = new Headers({ "CF-Connecting-IP": randomAddress() });
	const query = new URLSearchParams();
	let target = path;
	for (const { name, in: place } of parameters) {
		const value = Object.hasOwn(chosen, name) ? chosen[name] : undefined;
		const texts = value === undefined ? [] : [value].flat().map(textOf);
		const [text = ""] = texts;
		const put = {
			path: () => (target = target.replace(`{${name}}`, encodeURIComponent(text) || "x")),
			query: () => {
				for (const one of texts) query.append(name, one);
			},
			header: () => (/^[\x21-\x7e]{1,1000}$/.test(text) ? headers.set(name, text) : undefined),
		};
		put[place]();
	}
	return { headers, target: `${target}?${query}` };
}

function textOf(value: unknown): string {
	return (typeof value === "string" ? value : (JSON.stringify(value) ?? "")).toWellFormed();
}

/** These operations have accepted a request. */
const succeeded = new Set<string>();

const envelope = z.strictObject({
	error: z.strictObject({ message: z.string().min(1), code: z.string().min(1), details: z.unknown().optional() }),
});

/** Returns what is wrong with the response to a request, or null if nothing is. */
async function faultOf({ operation, url, init, isExcluded }: FuzzedRequest): Promise<string | null> {
	const response = await fetch(url, { ...init, redirect: "manual" });
	const at = `${init.method} ${url.slice(server.url.length, server.url.length + 200)} ${String(init.body ?? "").slice(0, 300)} → ${response.status}`;
	const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
	if (type === "text/event-stream") {
		await response.body?.cancel();
		return null;
	}
	const text = await response.text();
	if (response.status < 400) succeeded.add(operation.operationId);
	if (response.status >= 500) return `${at}: ${text.slice(0, 300)}`;
	const isJson = type === "application/json";
	if (response.status >= 400) {
		// A path with an odd value in it can be the path of a page, or of nothing.
		const refusal = operation.path.startsWith("/api/") && isJson ? faultOfRefusal(operation, response.status, text) : null;
		return refusal === null ? null : `${at}: ${refusal}`;
	}
	if (isExcluded) return `${at}: the document excludes this body, and it was accepted.`;
	const schema = isJson ? operation.responses[String(response.status)]?.content?.[type]?.schema : undefined;
	const faults = schema === undefined ? [] : document.faultsOf(schema, JSON.parse(text));
	return faults.length === 0 ? null : `${at}: ${faults.slice(0, 3).join("; ")}`;
}

function faultOfRefusal({ responses }: Operation, status: number, text: string): string | null {
	if (!envelope.safeParse(JSON.parse(text)).success) return text.slice(0, 300);
	return String(status) in responses || [404, 405].includes(status) ? null : "the document does not have this status.";
}

it(
	`the platform responds to ${REQUESTS} requests as documented, and never with 5xx`,
	async () => {
		const faults: string[] = [];
		for (let sent = 0; sent < REQUESTS; sent += REQUESTS_PER_TASK) {
			if (sent > 0) await replaceTask();
			const requests = fc.sample(fc.constantFrom(...operations).chain(requestsOf), {
				numRuns: Math.min(REQUESTS_PER_TASK, REQUESTS - sent),
				seed: SEED + sent,
			});
			for (let index = 0; index < requests.length; index += AT_ONCE) {
				const found = await Promise.all(requests.slice(index, index + AT_ONCE).map(faultOf));
				faults.push(...found.filter((fault) => fault !== null));
			}
		}
		expect(faults.slice(0, 20)).toEqual([]);
		// Otherwise the requests would be too odd to pass the first check.
		expect(succeeded.size).toBeGreaterThan(operations.length / 3);
	},
	TIMEOUT_MS,
);
