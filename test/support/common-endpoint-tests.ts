// Provides one battery of tests for every contract, derived only from the contract.
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { DEFAULT_BODY_LIMIT_BYTES, LARGEST_BODY_LIMIT_BYTES } from "../../src/http/body.ts";
import { type EndpointContract, errorCodesOf } from "../../src/http/endpoint.ts";
import { type CallInput, type Client, createClient } from "./client.ts";
import { CREDENTIALS, FIXTURES, makeForeignIds, signQuery } from "./common-fixtures.ts";
import { allStringPaths, isListSchema, replaceAt } from "./json-schema.ts";
import { expectSecurityHeaders } from "./security-headers.ts";
import { snapshotStorage } from "./storage.ts";
import { bodySchema, isId, UNKNOWN_ID, validBody, validCall } from "./valid-call.ts";

const MALFORMED_IDS = ["1", "not-a-uuid", `${UNKNOWN_ID}0`, UNKNOWN_ID.replaceAll("-", ""), "01900000-0000-7000-8000-00000000000g", "%00"];
const MALFORMED_KEYS = [
	"Bearer",
	"Bearer svc_sk_",
	"Bearer svc_sk_abc",
	`Bearer svc_sk_${"A".repeat(64)}`,
	`Bearer svc_sk_${"0".repeat(65)}`,
	`Basic ${"0".repeat(64)}`,
	"svc_sk_",
	"Bearer a b",
];
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];
const UNSTORABLE = { NUL: "a\0b", "a lone surrogate": "a\ud800b" };

/** Runs the battery for one endpoint. `all` are the contracts of the whole app. */
export function describeCommonBehaviour(contract: EndpointContract, all: readonly EndpointContract[]): void {
	describe(`${contract.method.toUpperCase()} ${contract.path}`, () => {
		let caller: Client;
		/** A caller without searches so far, because a key may make only a few a minute. */
		let fresh: Client;
		let before: unknown;
		beforeAll(async () => {
			caller = await CREDENTIALS[contract.auth].obtain();
			fresh = contract.rate === "search" ? await CREDENTIALS[contract.auth].obtain() : caller;
			before = await snapshotStorage();
		});
		afterAll(async () => {
			expect(await snapshotStorage()).toEqual(before);
		});

		describeAuthentication(contract);
		describeIds(contract, () => caller);
		describeBody(contract, () => caller);
		describeQuery(
			contract,
			() => caller,
			() => fresh,
		);
		it("answers another method with 405 and the method that it accepts", () => refusesOtherMethods(contract, all));
	});
}

function describeAuthentication(contract: EndpointContract): void {
	const { refusals, unknown } = CREDENTIALS[contract.auth];
	if (contract.auth === "signed") describeSignature(contract);
	if (refusals === null) return;
	const input = validCall(contract);

	it("refuses a missing, a malformed and an unknown key", async () => {
		await expectRefusal(createClient(), contract, refusals.missing, input);
		for (const header of MALFORMED_KEYS) {
			await expectRefusal(createClient(), contract, refusals.malformed, { ...input, headers: { ...input.headers, Authorization: header } });
		}
		const response = await expectRefusal(createClient({ key: unknown }), contract, refusals.unknown, input);
		expect(response.headers.get("WWW-Authenticate")).toContain("Bearer");
	});

	it("checks the credential before ids, query and body", async () => {
		const params = Object.fromEntries(Object.keys(contract.params?.shape ?? {}).map((name) => [name, "not-a-uuid"]));
		const query = Object.fromEntries(Object.keys(contract.query?.shape ?? {}).map((name) => [name, ["", "x"]]));
		const body = contract.method === "get" ? {} : { rawBody: "{", headers: { "Content-Type": "application/json" } };
		await expectRefusal(createClient(), contract, refusals.missing, { params, query, ...body });
	});
}

function describeSignature(contract: EndpointContract): void {
	it("refuses a URL without a signature, with another URL's and with an expired one", async () => {
		const input = validCall(contract);
		const { path, method } = contract;
		const own = path.replace(/\{(\w+)\}/g, (_, name: string) => input.params?.[name] ?? "");
		const queries = [
			{},
			{ expires: "x", signature: "x" },
			await signQuery(method, `${own}/x`, Date.now() + 60_000),
			await signQuery(method === "get" ? "put" : "get", own, Date.now() + 60_000),
			await signQuery(method, own, Date.now() - 1),
		];
		for (const query of queries) {
			const response = await expectRefusal(createClient(), contract, "UNAUTHORIZED", { ...input, query: { ...input.query, ...query } });
			expect(response.headers.get("WWW-Authenticate")).toContain("SignedUrl");
		}
	});
}

function describeIds(contract: EndpointContract, caller: () => Client): void {
	const ids = Object.entries(contract.params?.shape ?? {}).filter(([, schema]) => isId(schema));
	if (ids.length === 0) return;
	const input = validCall(contract);

	it("refuses malformed ids", async () => {
		for (const [name] of ids) {
			for (const id of MALFORMED_IDS) {
				await expectRefusal(caller(), contract, "INVALID_UUID", { ...input, params: { ...input.params, [name]: id } });
			}
		}
	});

	if (!contract.errors.includes("NOT_FOUND")) return;
	it("does not find an unknown id, nor what belongs to another agent", async () => {
		await expectRefusal(caller(), contract, "NOT_FOUND", input);
		const kind = /\/([\w-]+)\/\{id\}/.exec(contract.path)?.[1] ?? "";
		const id = foreignIds[kind];
		if (id === undefined || contract.auth !== "key") return;
		await expectRefusal(caller(), contract, "NOT_FOUND", { ...input, params: { ...input.params, id } });
	});

	if (!contract.errors.includes("FORBIDDEN") || !contract.path.includes("/tasks/{id}")) return;
	// The agent that asked a question may delete it too, so the refusal needs an existing question:
	// test/extensions/questions/questions.test.ts.
	if (contract.operationId === "deleteQuestion") return;
	// The task is not a test task, so its clock does not exist for anyone: test/extensions/test-tasks/clock.test.ts.
	if (contract.operationId === "advanceClock") return;
	it("is refused to everyone but the task's owner", async () => {
		await expectRefusal(caller(), contract, "FORBIDDEN", { ...input, params: { ...input.params, id: foreignIds["openTasks"] ?? "" } });
	});
}

let foreignIds: Readonly<Record<string, string>> = {};

/** Creates what the batteries need. Call it once in a file, before them. */
export function prepareCommonTests(): void {
	beforeAll(async () => {
		foreignIds = await makeForeignIds();
	});
}

function describeBody(contract: EndpointContract, caller: () => Client): void {
	const { body } = contract;
	if (body === undefined) return;
	const input = validCall(contract);
	const json = { "Content-Type": "application/json" };
	const invalid = body.faultCode ?? "INVALID_BODY";
	const raw = (rawBody: BodyInit, headers: Readonly<Record<string, string>> = json): CallInput => {
		const { body: _, ...rest } = input;
		return { ...rest, rawBody, headers: { ...input.headers, ...headers } };
	};

	it("refuses malformed JSON, JSON of another kind, other content types and other encodings", async () => {
		// Clients of other languages send null where they have no body.
		const none = body.required ? ["null"] : [];
		for (const text of ["{", '{"a":}', "{'a':1}", "undefined", "[]", ...none, "3", '"text"', "true", "NaN"]) {
			await expectRefusal(caller(), contract, invalid, raw(text));
		}
		for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"]) {
			await expectRefusal(caller(), contract, invalid, raw(JSON.stringify(validBody(contract)), { "Content-Type": type }));
		}
		await expectRefusal(caller(), contract, invalid, raw(new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])));
		if (body.required) await expectRefusal(caller(), contract, invalid, raw(""));
	});

	it("refuses a body that says that it is compressed, packed or not, and names what it takes", async () => {
		const plain = JSON.stringify(validBody(contract));
		for (const encoding of ["gzip", "br", "gzip, identity"]) {
			const call = raw(plain, { ...json, "Content-Encoding": encoding });
			const response = await caller().send(contract, call);
			expect({ encoding, status: response.status }).toEqual({ encoding, status: 415 });
			expect(response.headers.get("Accept-Encoding")).toBe("identity");
		}
		await expectRefusal(caller(), contract, "UNSUPPORTED_FILE_TYPE", raw(gzipSync(plain), { ...json, "Content-Encoding": "gzip" }));
	});

	it("refuses JSON that is nested very deeply", async () => {
		const depth = 400_000;
		await expectRefusal(caller(), contract, invalid, raw("[".repeat(depth) + "]".repeat(depth)));
		await expectRefusal(caller(), contract, invalid, raw(`{"x":${"[".repeat(depth)}`));
	});

	it("refuses a body over its limit, which is at most 8 MB, with an announced length and without", async () => {
		const limit = body.maxBytes ?? DEFAULT_BODY_LIMIT_BYTES;
		expect(limit).toBeLessThanOrEqual(LARGEST_BODY_LIMIT_BYTES);
		const tooLarge = new Uint8Array(limit + 1).fill(0x20);
		// An endpoint that accepts more than 1 MB first looks for the task, which does not exist here.
		const refusal = body.lookFirst === undefined ? "FILE_TOO_LARGE" : "NOT_FOUND";
		await expectRefusal(caller(), contract, refusal, raw(tooLarge));
		await expectRefusal(caller(), contract, "FILE_TOO_LARGE", raw(streamOf(tooLarge)));
		const justFits = tooLarge.subarray(0, limit);
		justFits[0] = 0x7b;
		await expectRefusal(caller(), contract, body.lookFirst === undefined ? invalid : "NOT_FOUND", raw(justFits));
	});

	it("refuses text that cannot be stored, in every field", async () => {
		const secrets = FIXTURES[contract.operationId]?.secretFields ?? [];
		for (const path of allStringPaths(bodySchema(contract)).filter(([field]) => !secrets.includes(String(field)))) {
			for (const text of Object.values(UNSTORABLE)) {
				await expectRefusal(caller(), contract, invalid, { ...input, body: replaceAt(validBody(contract), path, text) });
			}
		}
	});

	if (contract.params === undefined || !contract.errors.includes("NOT_FOUND")) return;
	// PATCH of a task is strict: test/api/tasks.test.ts.
	if (contract.operationId === "updateTask") return;
	it("ignores unknown fields", async () => {
		const extended = { ...(validBody(contract) as object), unknown_field: { nested: [1] } };
		await expectRefusal(caller(), contract, "NOT_FOUND", { ...input, body: extended });
	});
}

function streamOf(bytes: Uint8Array): ReadableStream {
	return new ReadableStream({
		start(controller) {
			for (let at = 0; at < bytes.length; at += 65_536) controller.enqueue(bytes.subarray(at, at + 65_536));
			controller.close();
		},
	});
}

function describeQuery(contract: EndpointContract, caller: () => Client, fresh: () => Client): void {
	const input = validCall(contract);
	const fields = Object.entries(contract.query?.shape ?? {});

	if (fields.length > 0) {
		it("refuses parameters that are given twice or contain invalid text", async () => {
			for (const [name, schema] of fields) {
				if (isListSchema(schema)) continue;
				for (const value of [["1", "1"], ["a\0b"]]) {
					await expectRefusal(caller(), contract, "VALIDATION_ERROR", { ...input, query: { ...input.query, [name]: value } });
				}
			}
		});
	}
	if (fields.some(([name]) => name === "limit")) {
		it("refuses limits that are not a whole number in range", async () => {
			for (const limit of ["0", "-1", "1.5", "1e1", "", " 1", "ten", "1000000", "0x10", "١"]) {
				await expectRefusal(caller(), contract, "VALIDATION_ERROR", { ...input, query: { ...input.query, limit } });
			}
		});
	}
	if (fields.some(([name]) => name === "cursor")) {
		it("refuses invented cursors", async () => {
			const opaque = ["[]", "[1]", "{}", "null", '["a"]', `["${UNKNOWN_ID}",1]`, "[null,null]"].map((text) =>
				btoa(text).replace(/=+$/, ""),
			);
			for (const cursor of ["x", "%", "====", "2026-13-01T00:00:00.000Z", "2026-12-01", "x".repeat(600), ...opaque]) {
				await expectRefusal(fresh(), contract, "VALIDATION_ERROR", { ...input, query: { ...input.query, cursor } });
			}
		});
	}
	if (contract.method !== "get" || FIXTURES[contract.operationId]?.isVolatile === true) return;
	it("ignores unknown query parameters, and answers HEAD as GET without a body", async () => {
		const unknown = { ...input, query: { ...input.query, unknown_parameter: ["1", "2"], ["__proto__"]: "x" } };
		const [plain, extended] = [await caller().send(contract, input), await caller().send(contract, unknown)];
		expect(extended.status).toBe(plain.status);
		const head = await caller().send({ ...contract, method: "HEAD" as "get" }, input);
		expect({ status: head.status, body: await head.text() }).toEqual({ status: plain.status, body: "" });
	});
}

const refusalShape = z.object({ code: z.unknown(), data: z.object({ code: z.unknown() }).optional() });

async function refusesOtherMethods(contract: EndpointContract, all: readonly EndpointContract[]): Promise<void> {
	const input = validCall(contract);
	const path = contract.path.replace(/\{(\w+)\}/g, (_, name: string) => input.params?.[name] ?? "");
	const isLiteral = all.some((other) => other.path === path);
	const taken = all
		.filter((other) => matches(other, path) && !(isLiteral && other.greedyParam !== undefined))
		.map(({ method }) => method.toUpperCase());
	for (const method of METHODS.filter((name) => !taken.includes(name))) {
		const other = { ...contract, method: method.toLowerCase() as "get" };
		// Without a credential, the MCP server for hosted clients responds 401 to everything.
		const caller = createClient({ key: contract.path === "/mcp/oauth" ? "made up" : null });
		const response = await caller.send(other, { params: input.params ?? {} });
		const { error } = z.object({ error: z.union([refusalShape, z.literal("invalid_request")]) }).parse(await response.json());
		// Errors of the MCP server have the form of JSON-RPC, and errors of sign-in that of RFC 6749.
		const code = typeof error === "string" ? "METHOD_NOT_ALLOWED" : (error.data?.code ?? error.code);
		expect({ method, status: response.status, code }).toEqual({ method, status: 405, code: "METHOD_NOT_ALLOWED" });
		const allowed = response.headers.get("Allow")?.split(", ") ?? [];
		expect(new Set(allowed)).toEqual(new Set([...taken, ...(taken.includes("GET") ? ["HEAD"] : []), "OPTIONS"]));
	}
}

function matches({ path: template, greedyParam }: EndpointContract, path: string): boolean {
	const pattern = template.replace(/\{(\w+)\}/g, (_, name: string) => (name === greedyParam ? ".+" : "[^/]+"));
	return new RegExp(`^${pattern}$`).test(path);
}

/** Does what `client.refused` does, for codes that are known only as text, or for one of several codes. */
async function expectRefusal(client: Client, contract: EndpointContract, code: string | readonly string[], input: CallInput) {
	const codes = typeof code === "string" ? [code] : code;
	const response = await client.send(contract, input);
	const text = await response.text();
	const sent = { operation: contract.operationId, params: input.params, query: input.query, body: describeSent(input) };
	expectSecurityHeaders(contract, response);
	expect(response.headers.get("Strict-Transport-Security")).toMatch(/^max-age=\d{8,}/);
	const isOwnForm = contract.errorBody !== undefined && text.startsWith('{"error":"invalid_request"') && response.status === 400;
	const answered = /"code":"(\w+)"/.exec(text)?.[1] ?? (isOwnForm ? codes[0] : undefined) ?? text.slice(0, 200);
	expect({ ...sent, codes: codes.includes(answered) ? codes : answered }).toEqual({ ...sent, codes });
	expect(errorCodesOf(contract) as readonly string[]).toContain(answered);
	return response;
}

function describeSent({ body, rawBody }: CallInput): string {
	const text = body === undefined ? rawBody : JSON.stringify(body);
	return typeof text === "string" ? text.slice(0, 300) : typeof text;
}
