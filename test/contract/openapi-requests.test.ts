// The document and the server agree about requests: if one of them rejects a value, the other rejects it too.

import { describe, expect, it } from "vitest";
import { z } from "zod";
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { isJson, type Json, toJson } from "../../scripts/openapi/json.ts";
import { endpoints, operations } from "../../src/compose/endpoints.ts";
import { quickSubmitRequest } from "../../src/core/competition/submissions/files-input.ts";
import * as taskRules from "../../src/core/competition/tasks/rules.ts";
import { parseFiles } from "../../src/core/judging/artifacts/rules.ts";
import { fromBase64 } from "../../src/platform/crypto.ts";
import { findTargetFault } from "../../src/platform/outbound.ts";
import { replaceAt } from "../support/json-schema.ts";
import { type JsonSchema, OpenApiDocument } from "../support/openapi-document.ts";

const contracts = endpoints;
const document = new OpenApiDocument(JSON.parse(JSON.stringify(buildOpenApiDocument(contracts))));

const ID = "01a230d9-a660-778d-8de6-c44c789d6478";
const LENGTHS = [61, 65, 101, 201, 256, 501, 513, 1_001, 2_049, 4_097, 5_001, 10_001, 20_001, 50_001, 100_001];
const TEXTS = [
	...["", " ", "x", ".", "..", "...", "a", "a/b", "a//b", "/a", "a/", "./a", "a/..", "..a/.b.", "a\\b", "C:/a", "quota", "a\nb", "é", "🦊"],
	...[
		"0",
		"1",
		"-1",
		"1.5",
		"1e3",
		"999999",
		"1000000",
		"true",
		"*",
		'"7"',
		'W/"7", "8"',
		'"7',
		"bytes=0-1",
		"text/plain",
		"text/plain; a=b",
	],
	...["a b/c", "https://a.example/b", "http://a.example", "ftp://a.example", "a.example", "%%%%", ID, ID.toUpperCase(), `${ID}0`],
	...["2030-01-31T12:00:00Z", "2030-01-31T12:00:00+02:00", "2030-01-31", "2030-01-31T12:00:00", "2030-02-30T12:00:00Z"],
	...["0x", "0x1f", "0xzz", `0x${"a".repeat(40)}`, `0x${"a".repeat(41)}`, "coinbase_commerce", "stripe_usd", "llm", "hybrid", "external"],
	...LENGTHS.map((length) => "x".repeat(length)),
];
const NUMBERS = [-1, 0, 0.005, 0.5, 1, 1.5, 25, 26, 99, 100.5, 512, 601, 5_000, 10_000, 100_001, 1e12, 1e12 + 1, 2 ** 53, 1e300];
const OTHERS = [
	null,
	true,
	[],
	{},
	[null],
	[1],
	{ content: "x" },
	{ content: 1 },
	{ content: "x", encoding: "hex" },
	...["text/plain", "x".repeat(255), "x".repeat(256), 1, null].map((contentType) => ({ content: "x", contentType })),
	...["QUJD", "QUI", "%"].map((content) => ({ content, encoding: "base64" })),
];
/** An undefined value leaves the field out. */
const VALUES: readonly unknown[] = [undefined, ...TEXTS, ...NUMBERS, ...OTHERS];

/** Verbs check these rules of a body beyond its schema, as far as they depend on the body only. */
const RULES: Readonly<Record<string, (body: unknown) => void>> = {
	createTask: (body) => {
		const { eval_image = null, eval_callback_url = null, ...task } = operations.createTask.body.schema.parse(body);
		taskRules.assertEvalImage(taskRules.resolveEvalMode({ ...task, eval_callback_url }), eval_image);
		if (task.criteria !== undefined) taskRules.assertRubricWeights(task.criteria);
		if (eval_callback_url !== null) assertTarget(eval_callback_url);
	},
	updateTask: (body) => {
		const { eval_callback_url = null } = operations.updateTask.body.schema.parse(body);
		if (eval_callback_url !== null) assertTarget(eval_callback_url);
	},
	cloneTask: (body) => {
		const { eval_callback_url = null, criteria } = operations.cloneTask.body.schema.parse(body);
		if (eval_callback_url !== null) assertTarget(eval_callback_url);
		if (criteria !== undefined) taskRules.assertRubricWeights(criteria);
	},
	replaceRubric: (body) => taskRules.assertRubricWeights(operations.replaceRubric.body.schema.parse(body).criteria),
	quickSubmit: (body) => parseFiles({ ...quickSubmitRequest.parse(body).files }),
	startDryRun: (body) => parseFiles({ ...operations.startDryRun.body.schema.parse(body).files }),
	// The endpoint lists as problems what the document excludes.
	checkSubmission: (body) => parseFiles({ ...quickSubmitRequest.parse(body).files }),
	createWebhook: (body) => assertTarget(operations.createWebhook.body.schema.parse(body).url),
	updateWebhook: (body) => {
		const { url } = operations.updateWebhook.body.schema.parse(body);
		if (url !== undefined) assertTarget(url);
	},
	storeWorkspaceFile: (body) => fromBase64(z.object({ content_base64: z.string() }).parse(body).content_base64),
};

function assertTarget(url: string): void {
	const fault = findTargetFault(url, { allowInsecure: true });
	if (fault !== null) throw new Error(fault);
}

const EXCEPTIONS: readonly RegExp[] = [
	// JSON Schema can express neither the sum of a rubric's weights nor whole bytes in base64.
	/^(createTask|cloneTask|replaceRubric) body \/criteria\/0\/weight/,
	/^storeWorkspaceFile body \/content_base64 = "[A-Za-z0-9/]*"?:/,
	// A page or file with such a long name does not exist, which is 404.
	/^(getDocsPage|readDocs|getSiteFile|getOpenApiPiece) path \w+ = "x{50}/,
];

interface Verdict {
	readonly at: string;
	readonly value: unknown;
	readonly server: boolean;
	readonly document: boolean;
}

const disagreements = (verdicts: readonly Verdict[]) =>
	verdicts
		.filter(({ server, document: documented }) => server !== documented)
		.map(({ at, value, server }) => `${at} = ${JSON.stringify(value)?.slice(0, 60)}: the server ${server ? "accepts" : "rejects"} it`)
		.filter((line) => !EXCEPTIONS.some((exception) => exception.test(line)));

function accepts(check: () => void): boolean {
	try {
		check();
		return true;
	} catch {
		return false;
	}
}

type Path = readonly (string | number)[];

/** Returns the way to each field of a body, and to the first item of each list. */
function pathsOf(schema: JsonSchema, path: Path = []): Path[] {
	const { properties, items, oneOf, anyOf = oneOf, additionalProperties } = document.schemaBehind(schema);
	const fields = Object.entries(toJson(properties)).flatMap(([name, field]) => pathsOf(toJson(field), [...path, name]));
	const parts = Array.isArray(anyOf)
		? anyOf.flatMap((part) => pathsOf(toJson(part), path).filter((found) => found.length > path.length))
		: [];
	const first = isJson(items) ? pathsOf(items, [...path, 0]) : [];
	const entry = isJson(additionalProperties) ? [[...path, "notes.txt"]] : [];
	return [...(path.length === 0 ? [] : [path]), ...fields, ...parts, ...first, ...entry];
}

describe("a request body", () => {
	const bodies = contracts.flatMap(({ operationId, body }) => {
		const media = document.find(operationId).requestBody?.content["application/json"];
		return body === undefined || media === undefined ? [] : [{ operationId, schema: body.schema, media }];
	});

	it.each(bodies)("of $operationId is accepted or rejected by server and document alike", ({ operationId, schema, media }) => {
		const judge = (at: string, value: unknown, changed: unknown): Verdict => {
			const body: unknown = JSON.parse(JSON.stringify(changed));
			const isParsed = () => void schema.parse(body);
			const server = accepts(isParsed) && accepts(() => RULES[operationId]?.(body));
			return { at: `${operationId} body /${at}`, value, server, document: document.faultsOf(media.schema, body).length === 0 };
		};
		const verdicts = Object.values(media.examples ?? {}).flatMap(({ value: example }) =>
			pathsOf(media.schema).flatMap((path) => VALUES.map((value) => judge(path.join("/"), value, replaceAt(example, path, value)))),
		);
		expect(verdicts.some(({ server }) => server)).toBe(true);
		expect(verdicts.some(({ server }) => !server)).toBe(true);
		expect(disagreements(verdicts)).toEqual([]);
	});

	it("of quickSubmit has the same paths for server and document", () => {
		const { requestBody } = document.find("quickSubmit");
		const verdicts = TEXTS.map((path) => {
			const body = { files: { [path]: "x" } };
			const isDocumented = document.faultsOf(requestBody?.content["application/json"]?.schema ?? {}, body).length === 0;
			return { at: "files", value: path, server: accepts(() => parseFiles({ ...body.files })), document: isDocumented };
		});
		expect(disagreements(verdicts)).toEqual([]);
	});
});

describe("a parameter", () => {
	const PLACES = { path: "params", query: "query", header: "headers" } as const;

	const parameters = document.operations.flatMap(({ operationId, parameters: declared = [] }) => {
		const contract = contracts.find((candidate) => candidate.operationId === operationId);
		return declared.flatMap((parameter) => {
			const name = parameter.in === "header" ? parameter.name.toLowerCase() : parameter.name;
			const field = contract?.[PLACES[parameter.in]]?.shape[name];
			return field === undefined ? [] : [{ at: `${operationId} ${parameter.in} ${name}`, parameter, field }];
		});
	});

	/** Returns a parameter's text as the JSON that the document describes. */
	function toDocumented(text: string, { type }: Json): unknown {
		if (type === "integer" && /^-?\d+$/.test(text)) return Number(text);
		return type === "array" ? [text] : text;
	}

	it("is accepted or rejected by server and document alike", () => {
		expect(parameters.length).toBeGreaterThan(100);
		const verdicts = parameters.flatMap(({ at, parameter: { required, schema }, field }) => [
			{ at, value: undefined, server: z.safeParse(field, undefined).success, document: !required },
			...TEXTS.map((value) => ({
				at,
				value,
				server: z.safeParse(field, value).success,
				document: document.faultsOf(schema, toDocumented(value, schema)).length === 0,
			})),
		]);
		expect(disagreements(verdicts)).toEqual([]);
	});
});

describe("a value in a request", () => {
	/** Lists the keywords that a schema of each type needs. */
	const BOUNDS: Readonly<Record<string, readonly string[]>> = {
		string: ["maxLength"],
		array: ["maxItems"],
		integer: ["minimum", "maximum"],
	};

	function isBounded(schema: JsonSchema): boolean {
		const isClosed = ["enum", "const"].some((key) => key in schema) || ["uuid", "date-time", "binary"].includes(String(schema["format"]));
		return isClosed || (BOUNDS[String(schema["type"])] ?? []).every((key) => key in schema);
	}

	/** Returns schemas without their bounds, with the path to them. */
	function boundlessIn(part: unknown, way: string): string[] {
		if (!isJson(part)) return [];
		const schema = document.schemaBehind(part);
		const { properties, items, additionalProperties, propertyNames, anyOf } = schema;
		return [
			...(isBounded(schema) ? [] : [way]),
			...Object.entries(toJson(properties)).flatMap(([name, field]) => boundlessIn(field, `${way}.${name}`)),
			...[items, additionalProperties, propertyNames, anyOf].flat().flatMap((nested) => boundlessIn(nested, way)),
		];
	}

	it("is bounded: each string, list, map and whole number", () => {
		const boundless = document.operations.flatMap(({ operationId, parameters = [], requestBody }) => [
			...parameters.flatMap(({ name, schema }) => boundlessIn(schema, `${operationId} ${name}`)),
			...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => boundlessIn(schema, `${operationId} body`)),
		]);
		// An ETag or bookmark of any length that the platform does not know has no effect. An invalid id of any length starts a stream from the current state.
		const isUnbounded = (place: string) => / (Last-Event-ID|If-None-Match|X-D1-Bookmark)$/.test(place);
		expect([...new Set(boundless)].filter((place) => !isUnbounded(place))).toEqual([]);
	});
});
