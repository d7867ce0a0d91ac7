// Tests the document that clients are generated from: it is current and valid, and agrees with the routes and the error table.
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { isJson, type Json, toJson } from "../../scripts/openapi/json.ts";
import { readProjectFile, readSources } from "../../scripts/support/sources.ts";
import { createApp } from "../../src/app.ts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { ERRORS, type ErrorCode } from "../../src/domain/errors.ts";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { routePathOf } from "../../src/http/paths.ts";

const contracts = endpoints;
const document = buildOpenApiDocument(contracts);
const operation = z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) });

/** Returns the media types that an operation answers a status with. */
function mediaTypesOf(operationId: string, status: number): string[] {
	const paths = z.record(z.string(), z.record(z.string(), z.unknown())).parse(document["paths"]);
	const operations = Object.values(paths).flatMap((methods) =>
		Object.values(methods).flatMap((each) => operation.safeParse(each).data ?? []),
	);
	const response = operations.find((each) => each.operationId === operationId)?.responses[status];
	const shared = z.object({ $ref: z.string() }).safeParse(response).data?.$ref.split("/").at(-1);
	const components = z.object({ responses: z.record(z.string(), z.unknown()) }).parse(document["components"]);
	const content = z
		.object({ content: z.record(z.string(), z.unknown()) })
		.safeParse(shared === undefined ? response : components.responses[shared]);
	return Object.keys(content.data?.content ?? {});
}

describe("what is served besides the API", () => {
	it("is in the document: the packages, and a skill that names them", () => {
		expect(mediaTypesOf("getPackage", 200)).toEqual(["application/octet-stream"]);
		expect(mediaTypesOf("getPackageIndex", 200)).toEqual(["application/json"]);
		const skill = readProjectFile("docs/agents/skill.md");
		for (const file of ["cli.tgz", "sdk.tgz", "index.json"]) expect(skill).toContain(`{base_url}/packages/${file}`);
	});

	it("has the refusals of MCP in its own form, and those of pages for people and for programs", () => {
		for (const status of [400, 404, 406]) {
			expect({ status, types: mediaTypesOf("callMcp", status) }).toEqual({ status, types: ["application/json"] });
		}
		for (const page of ["getTaskPage", "getAgentPage"]) {
			expect({ page, types: mediaTypesOf(page, 404).toSorted() }).toEqual({ page, types: ["application/json", "text/html"] });
		}
	});

	it("may refuse a page of another origin, also where the URL is the credential", () => {
		expect(mediaTypesOf("putArtifact", 403)).toEqual(["application/json"]);
		expect(mediaTypesOf("callMcp", 403)).toEqual(["application/json"]);
	});
});

describe("docs/openapi.json", () => {
	it("is what the contracts generate", () => {
		expect(JSON.parse(readProjectFile("docs/openapi.json"))).toEqual(JSON.parse(JSON.stringify(document)));
	});

	it("has its operations by path and method, so that the order in which endpoints are listed changes no byte", () => {
		const text = JSON.stringify(document);
		const orders = [contracts.toReversed(), contracts.toSorted((a, b) => (a.summary < b.summary ? -1 : 1))];
		for (const order of orders) expect(JSON.stringify(buildOpenApiDocument(order)) === text).toBe(true);
		const paths = Object.keys(toJson(document["paths"]));
		expect(paths).toEqual(paths.toSorted());
		const relisted = contracts.map((contract) => ({ ...contract, errors: contract.errors.toReversed() }));
		expect(JSON.stringify(buildOpenApiDocument(relisted)) === text).toBe(true);
	});

	it("is valid OpenAPI 3.1 with references that resolve", async () => {
		const validator = new Validator();
		const result = await validator.validate(structuredClone(document));
		expect(result).toMatchObject({ valid: true });
		expect(validator.version).toBe("3.1");
		const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference ?? "");
		expect(references.length).toBeGreaterThan(10);
		const components = Object.entries(document["components"] as Record<string, object>).flatMap(([kind, named]) =>
			Object.keys(named).map((name) => `#/components/${kind}/${name}`),
		);
		expect([...new Set(references)].filter((reference) => !components.includes(reference))).toEqual([]);
	});

	it("has a 2xx response for each operation, except for those that redirect a browser", () => {
		const { paths } = z.object({ paths: z.record(z.string(), z.record(z.string(), operation)) }).parse(document);
		const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
		const without = operations.filter(({ responses }) => !Object.keys(responses).some((status) => status.startsWith("2")));
		expect(without.map(({ operationId }) => operationId)).toEqual(["finishSignIn", "startSignIn", "decideConsent", "getReference"]);
	});

	it("describes each operation, its parameters and its response in words", () => {
		for (const { operationId, summary, description, tags, response } of contracts) {
			expect(operationId).toMatch(/^[a-z][A-Za-z0-9]+$/);
			expect({ operationId, empty: [summary, description, response.description].filter((text) => text.trim() === "") }).toEqual({
				operationId,
				empty: [],
			});
			expect({ operationId, isTagged: tags.length > 0 }).toEqual({ operationId, isTagged: true });
		}
	});
});

describe("schemas", () => {
	/**
	 * These keywords contain one schema, and those below several. Conditions (`if`, `not`) describe nothing, so they are not among them.
	 */
	const NESTED = ["items", "additionalProperties", "contentSchema"];
	const COMBINED = ["anyOf", "oneOf", "allOf"];

	/** Returns each property of a schema and of the schemas in it, with the path to it. */
	function propertiesOf(schema: unknown, way: string): { way: string; property: Json }[] {
		if (!isJson(schema)) return [];
		const own = Object.entries(schema["properties"] ?? {}).flatMap(([name, property]) => [
			{ way: `${way}.${name}`, property: isJson(property) ? property : {} },
			...propertiesOf(property, `${way}.${name}`),
		]);
		const parts = [...NESTED.map((key) => schema[key]), ...COMBINED.flatMap((key) => schema[key] ?? [])];
		return [...own, ...parts.flatMap((part) => propertiesOf(part, way))];
	}

	/** Returns the schemas of parameters, headers, bodies and responses, wherever they are in the document. */
	function schemasIn(part: unknown, way: string): { way: string; schema: unknown }[] {
		if (!isJson(part)) return [];
		return Object.entries(part).flatMap(([key, value]) => {
			if (key === "examples" || key === "example") return [];
			return key === "schema" ? [{ way, schema: value }] : [value].flat().flatMap((each) => schemasIn(each, `${way}/${key}`));
		});
	}

	const components = toJson(toJson(document["components"])["schemas"]);
	const named = Object.entries(components).map(([way, schema]) => ({ way, schema }));

	it("describe each of their properties", () => {
		const all = [...named, ...schemasIn(document, "")].flatMap(({ way, schema }) => propertiesOf(schema, way));
		expect(all.length).toBeGreaterThan(1_000);
		const silent = all.filter(({ property }) => typeof property["description"] !== "string" || property["description"] === "");
		expect(silent.map(({ way }) => way)).toEqual([]);
	});

	it("with a name have a description", () => {
		expect(named.length).toBeGreaterThan(80);
		expect(named.filter(({ schema }) => toJson(schema)["description"] === undefined).map(({ way }) => way)).toEqual([]);
	});
});

describe("routes and contracts", () => {
	const routes = createApp(() => {
		throw new Error("The routes are listed, not called.");
	}).routes.filter(({ method }) => method !== "ALL");

	it("have one route for each contract and one contract for each route", () => {
		const ofContracts = contracts.map((contract) => `${contract.method.toUpperCase()} ${routePathOf(contract).replace(/:(\w+)/g, "{$1}")}`);
		const ofRoutes = routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`);
		// Each middleware of a chain is listed as a separate route.
		expect([...new Set(ofRoutes)].toSorted()).toEqual(ofContracts.toSorted());
	});

	it("have no operationId and no method with path twice", () => {
		expect(contracts.map(({ operationId }) => operationId)).toHaveLength(new Set(contracts.map(({ operationId }) => operationId)).size);
		const addresses = contracts.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`);
		expect(addresses).toHaveLength(new Set(addresses).size);
	});

	it("declare exactly the parameters of the path", () => {
		for (const { operationId, path, params } of contracts) {
			const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
			expect({ operationId, names: Object.keys(params?.shape ?? {}) }).toEqual({ operationId, names: inPath });
		}
	});
});

describe("limits and credentials", () => {
	const addressOf = ({ method, path }: (typeof contracts)[number]) => `${method.toUpperCase()} ${path}`;

	it("put each endpoint into its rate class", () => {
		const stricter: Readonly<Record<string, string>> = {
			"POST /api/v1/tasks/{id}/quick-submit": "submission",
			"POST /api/v1/tasks/{id}/dry-run": "submission",
			"POST /api/v1/tasks/{id}/check": "submission",
			"POST /api/v1/tasks": "mutation",
			"POST /api/v1/tasks/{id}/clone": "mutation",
			"POST /api/v1/tasks/{id}/compile-rubric": "mutation",
			"POST /api/v1/tasks/{id}/publish": "mutation",
			"POST /api/v1/tasks/{id}/close": "mutation",
			"POST /api/v1/tasks/{id}/join": "mutation",
			"POST /api/v1/tasks/{id}/clock": "mutation",
			"POST /api/v1/deals": "mutation",
			"POST /api/v1/agent/register-anonymous": "none",
			// These read the database, unlike the other files outside of /api/.
			"GET /.well-known/jwks.json": "general",
			"GET /ready": "general",
			"GET /.well-known/security.txt": "general",
			"GET /feeds/tasks.xml": "general",
			"GET /api/v1/search/tasks": "search",
			"GET /tasks": "general",
			"GET /results": "general",
			"GET /tasks/{id}": "general",
			"GET /agents/{id}": "general",
			"GET /sitemap.xml": "general",
			"GET /oauth/authorize": "mutation",
			"POST /oauth/authorize": "mutation",
			"POST /oauth/device_authorization": "mutation",
			"GET /device": "mutation",
			"POST /device": "mutation",
		};
		const isUnlimited = (contract: (typeof contracts)[number]) => !contract.path.startsWith("/api/") || contract.auth === "signed";
		const expectedOf = (contract: (typeof contracts)[number]) =>
			stricter[addressOf(contract)] ?? (isUnlimited(contract) ? "none" : "general");
		const wrong = contracts.filter((contract) => contract.rate !== expectedOf(contract)).map(addressOf);
		expect(wrong, "Their rate is not general. If that is meant, add them to `stricter` above").toEqual([]);
	});

	it("leave only the intended endpoints open to everyone", () => {
		const open = [
			/^POST \/api\/v1\/agent\/register-anonymous$/,
			// It repeats a text of the caller and stores nothing.
			/^POST \/api\/v1\/webhook-echo$/,
			/^GET \/api\/public\/tasks(\/\{id\}(\/leaderboard|\/stream|\/questions|\/history)?)?$/,
			/^GET \/api\/public\/agents\/\{id\}$/,
			/^GET \/api\/submissions\/\{id\}\/status$/,
			/^GET \/api(\/v1)?\/docs(\/|$)/,
			/^GET \/api\/auth\/(providers|sign-in|callback)/,
			// The passkey is the credential.
			/^POST \/api\/auth\/passkey-sessions(\/options)?$/,
			/^GET \/(?!api\/)/,
			// Its tools call the other endpoints, with the caller's key.
			/^POST \/mcp(\/oauth)?$/,
			// Programs present a code, a token or a session's form.
			/^POST \/(oauth\/(register|authorize|token|revoke|device_authorization)|device)$/,
		];
		const exposed = contracts.filter(({ auth }) => auth === "none");
		expect(exposed.map(addressOf).filter((address) => !open.some((pattern) => pattern.test(address)))).toEqual([]);
	});
});

describe("error codes", () => {
	const codes = Object.keys(ERRORS) as ErrorCode[];
	/** The platform responds with these before it has found an endpoint. */
	const GLOBAL: readonly ErrorCode[] = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "INTERNAL_ERROR"];

	it("have their statuses", () => {
		const expected: Readonly<Record<number, readonly string[]>> = {
			400: [
				...["INVALID_BODY", "VALIDATION_ERROR", "INVALID_UUID", "INVALID_WEIGHTS", "BAD_REQUEST", "MISSING_SUBMISSION_MD"],
				...["NO_PAYOUT_ADDRESS", "CHALLENGE_TAMPERED", "SIGNATURE_INVALID", "ADDRESS_MISMATCH"],
			],
			401: ["unauthorized", "INVALID_OPERATOR_TOKEN_FORMAT", "UNAUTHORIZED", "INVALID_CALLBACK_TOKEN"],
			403: ["FORBIDDEN", "TIER_FORBIDDEN", "QUOTA_EXHAUSTED"],
			404: ["NOT_FOUND", "NO_SUBMISSION"],
			405: ["METHOD_NOT_ALLOWED"],
			409: [
				...["CONFLICT", "INVALID_TRANSITION", "TASK_NOT_OPEN", "TASK_NOT_CLOSED", "TASK_CLOSED", "DEADLINE_PASSED"],
				...["SUBMISSION_IN_PROGRESS", "WRONG_STATUS", "ALREADY_UPLOADED", "NO_UPLOAD_FOUND", "NO_ARTIFACT", "WRONG_EVAL_MODE"],
				...["ALREADY_SCORED", "DEAL_EXISTS", "MAX_OPERATOR_TOKENS", "ATTACHMENT_LIMIT", "FILE_QUOTA_EXCEEDED", "BYTE_QUOTA_EXCEEDED"],
			],
			410: ["CHALLENGE_EXPIRED"],
			412: ["PRECONDITION_FAILED"],
			413: ["FILE_TOO_LARGE"],
			415: ["UNSUPPORTED_FILE_TYPE"],
			416: ["RANGE_NOT_SATISFIABLE"],
			429: ["RATE_LIMITED", "RE_EVAL_COOLDOWN", "OPERATOR_QUOTA_EXHAUSTED"],
			500: ["INTERNAL_ERROR", "EVAL_WRITE_FAILED"],
			503: ["OVERLOADED", "SERVICE_BUSY", "SERVICE_PAUSED", "NOT_READY"],
			507: ["DATABASE_FULL"],
		};
		const statusOf = new Map(Object.entries(expected).flatMap(([status, names]) => names.map((name) => [name, Number(status)] as const)));
		const wrong = codes.filter((code) => ERRORS[code].status !== statusOf.get(code));
		expect(wrong).toEqual([]);
	});

	it("each belong to an endpoint, or to the whole API", () => {
		const answered = new Set([...GLOBAL, ...contracts.flatMap(errorCodesOf)]);
		expect(codes.filter((code) => !answered.has(code))).toEqual([]);
	});

	it("are each thrown somewhere, and reached by a test", () => {
		const sources = readSources("src").filter(({ path }) => path !== "src/domain/errors.ts");
		const thrown = (code: string) => sources.some(({ code: text }) => new RegExp(`"${code}"|\\b${code}:`).test(text));
		expect(codes.filter((code) => !thrown(code))).toEqual([]);
		const tests = readSources("test").filter(({ path }) => !path.startsWith("test/contract/"));
		const expectation = (code: string) => new RegExp(`(refused|expectRefusal|refuses)\\([^;]*?"${code}"|code: "${code}"|"${code}"\\]`);
		expect(codes.filter((code) => !tests.some(({ code: text }) => expectation(code).test(text)))).toEqual([]);
	});

	it("say in their messages what to do", () => {
		const mute = codes.filter((code) => !/^\S.*[.]$/s.test(ERRORS[code].message));
		expect(mute).toEqual([]);
	});
});
