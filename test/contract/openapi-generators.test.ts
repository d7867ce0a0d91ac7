// Generators of clients in other languages take the OpenAPI document. Each rule is about something that stopped one of them, and the walker
// applies it to the whole document.
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { describe, expect, it } from "vitest";
import { buildOpenApiDocument } from "../../scripts/openapi/document.ts";
import { isJson, type Json, toJson } from "../../scripts/openapi/json.ts";
import { buildOpenApiPieces } from "../../scripts/site/openapi-pieces.ts";
import { endpoints } from "../../src/compose/endpoints.ts";
import { ERRORS, wireCodeOf } from "../../src/domain/errors.ts";
import { errorCodesOf } from "../../src/http/endpoint.ts";
import { OpenApiDocument } from "../support/openapi-document.ts";
import { PROJECT_ROOT } from "../support/samples.ts";

const whole: Json = JSON.parse(JSON.stringify(buildOpenApiDocument(endpoints)));
const document = new OpenApiDocument(whole);
const components = toJson(whole["components"]);

interface Place {
	readonly at: string;
	readonly part: Json;
}

/** Lists every object of the document, schemas among them, with the path to it. Examples are values, not descriptions. */
function walk(part: unknown, at: string): Place[] {
	if (Array.isArray(part)) return part.flatMap((each, index) => walk(each, `${at}/${index}`));
	if (!isJson(part)) return [];
	const within = Object.entries(part).filter(([key]) => key !== "example" && key !== "examples" && key !== "default");
	return [{ at, part }, ...within.flatMap(([key, value]) => walk(value, `${at}/${key}`))];
}

const everywhere = walk(whole, "");
const schemas = everywhere.filter(({ at }) => !at.endsWith("/properties"));
const typesOf = ({ type }: Json): unknown[] => (type === undefined ? [] : [type].flat());
const placesOf = (isWrong: (part: Json) => boolean) => schemas.filter(({ part }) => isWrong(part)).map(({ at }) => at);

it("the walker finds the schemas of bodies, responses, parameters and components", () => {
	expect(schemas.filter(({ part }) => typesOf(part).length > 0).length).toBeGreaterThan(2_500);
	expect(schemas.filter(({ part }) => typesOf(part).includes("integer")).length).toBeGreaterThan(200);
});

describe("every schema", () => {
	it("of an integer says its size", () => {
		const wrong = schemas.filter(({ part }) => {
			if (!typesOf(part).includes("integer")) return false;
			const { maximum, format } = part;
			return format !== (typeof maximum === "number" && maximum <= 2 ** 31 - 1 ? "int32" : "int64");
		});
		expect(wrong).toEqual([]);
	});

	it("has one type besides null, except for the content of a file", () => {
		const behind = (part: Json): Json => document.schemaBehind(part);
		const kindsOf = (part: Json): unknown[] => [
			...typesOf(part).filter((type) => type !== "null"),
			...["anyOf", "oneOf"].flatMap((key) => [part[key] ?? []].flat().flatMap((each) => kindsOf(behind(toJson(each))))),
		];
		const wrong = placesOf((part) => typesOf(part).filter((type) => type !== "null").length > 1 || new Set(kindsOf(part)).size > 1);
		// A file is text or an object.
		expect(wrong.filter((at) => !at.endsWith("/FileContent"))).toEqual([]);
	});

	it("with fields has no alternatives too, because to generators these are types without a name", () => {
		const isConditional = ({ if: condition }: Json) => condition !== undefined;
		expect(placesOf(isConditional).length).toBeGreaterThanOrEqual(5);
		const isCombined = (part: Json) => ["allOf", "anyOf", "oneOf"].some((key) => part[key] !== undefined);
		expect(placesOf((part) => isJson(part["properties"]) && isCombined(part))).toEqual([]);
	});

	it("has no numeric exclusiveMinimum or exclusiveMaximum, and no constant that is true or false", () => {
		const isBound = (value: unknown) => typeof value === "number";
		expect(placesOf((part) => isBound(part["exclusiveMinimum"]) || isBound(part["exclusiveMaximum"]))).toEqual([]);
		expect(placesOf((part) => typeof part["const"] === "boolean")).toEqual([]);
	});

	it("has patterns that look neither ahead nor behind", () => {
		const patterns = schemas.flatMap(({ part }) => (typeof part["pattern"] === "string" ? [part["pattern"]] : []));
		expect(patterns.length).toBeGreaterThan(30);
		expect(patterns.filter((pattern) => /\(\?(=|!|<=|<!)/.test(pattern))).toEqual([]);
	});

	it("of an enumeration has no value without a letter, which has no name in Kotlin", () => {
		expect(
			placesOf(({ enum: listed }) => Array.isArray(listed) && listed.some((value) => typeof value === "string" && !/\w/.test(value))),
		).toEqual([]);
	});

	it("with a name shares no value of an enumeration with another, because Go has one constant for each value", () => {
		const values = document.schemas.flatMap(([, { enum: listed }]) => (Array.isArray(listed) ? listed.map(String) : []));
		expect(values.length).toBeGreaterThan(5);
		expect(values.filter((value, index) => values.indexOf(value) !== index)).toEqual([]);
	});

	it("with the format of a date has no pattern, for which openapi-generator's Python lacks an import", () => {
		expect(placesOf(({ format, pattern }) => format === "date" && pattern !== undefined)).toEqual([]);
	});

	it("with a name has one that TypeScript does not use for a type", () => {
		const libraries = globSync("node_modules/@typescript/*/lib/lib.*.d.ts", { cwd: PROJECT_ROOT });
		expect(libraries.length).toBeGreaterThan(20);
		const known = new Set(
			libraries.flatMap((file) =>
				[...readFileSync(join(PROJECT_ROOT, file), "utf8").matchAll(/^(?:declare )?(?:interface|type|class|var) (\w+)/gm)].map(
					([, name]) => name,
				),
			),
		);
		expect(known.has("Error") && known.has("Pick") && known.has("Response")).toBe(true);
		expect(document.schemas.map(([name]) => name).filter((name) => known.has(name))).toEqual([]);
	});

	it("with a name that begins with New is not the constructor of another, which openapi-generator's Go calls so", () => {
		const names = document.schemas.map(([name]) => name);
		expect(names.filter((name) => names.includes(name.replace(/^New/, "")) && name.startsWith("New"))).toEqual([]);
	});

	it("with a name is not the result of an operation, which orval calls so", () => {
		const results = document.operations.map(({ operationId }) => `${operationId}Result`.toLowerCase());
		expect(document.schemas.map(([name]) => name).filter((name) => results.includes(name.toLowerCase()))).toEqual([]);
	});

	it("inside the handbook has a title of its own, if it is an object without a name", () => {
		const handbook = walk(toJson(components["schemas"])["Handbook"], "Handbook");
		const inline = handbook.filter(({ at, part }) => at !== "Handbook" && isJson(part["properties"]) && part["type"] === "object");
		const titles = inline.map(({ part }) => part["title"]);
		expect(titles.length).toBeGreaterThan(5);
		expect(titles.filter((title) => typeof title !== "string")).toEqual([]);
		const names = document.schemas.map(([name]) => name);
		expect([...new Set([...titles, ...names])]).toHaveLength(titles.length + names.length);
	});
});

describe("what the platform sends", () => {
	/** The schemas that these parts of the document refer to, directly or not. */
	function reachedFrom(parts: readonly unknown[]): Set<string> {
		const reached = new Set<string>();
		const follow = (part: unknown): void => {
			for (const [, name = ""] of JSON.stringify(part ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
				if (reached.has(name)) continue;
				reached.add(name);
				follow(toJson(components["schemas"])[name]);
			}
		};
		for (const part of parts) follow(part);
		return reached;
	}

	const operations = Object.values(toJson(whole["paths"])).flatMap((item) => Object.values(toJson(item)).map(toJson));
	const received = operations.map(({ responses }) => responses);
	const sent = [...received, components["responses"], whole["webhooks"]];

	it("is open: fields may be added to responses and events", () => {
		const named = [...reachedFrom(sent)].map((name) => toJson(components["schemas"])[name]);
		expect(named.length).toBeGreaterThan(100);
		const closed = walk([...sent, ...named], "").filter(({ part }) => part["additionalProperties"] === false);
		expect(closed.map(({ at }) => at)).toEqual([]);
	});

	it("is described alike in the document that tests close, apart from that", () => {
		const text = JSON.stringify(buildOpenApiDocument(endpoints, { isClosed: true }));
		expect(text.split('"additionalProperties":false').length).toBeGreaterThan(200);
		expect(
			text.replaceAll(',"additionalProperties":false', "") === JSON.stringify(whole).replaceAll(',"additionalProperties":false', ""),
		).toBe(true);
	});

	it("is one component for all errors, whose codes are under x-codes and in the description", () => {
		const own = endpoints.filter(({ errorBody }) => errorBody !== undefined);
		expect(own.filter(({ owner }) => owner !== "oauth").map(({ operationId }) => operationId)).toEqual(["callMcp"]);
		const errors = endpoints.flatMap((contract) => {
			const byStatus = Map.groupBy(errorCodesOf(contract), (code) => String(ERRORS[code].status));
			return [...byStatus].map(([status, codes]) => ({
				id: contract.operationId,
				status,
				codes: [...new Set(codes.map(wireCodeOf))].toSorted(),
			}));
		});
		expect(errors.length).toBeGreaterThan(700);
		for (const { id, status, codes } of errors) {
			const operation = operations.find(({ operationId }) => operationId === id) ?? {};
			const described = toJson(toJson(operation["responses"])[status]);
			const { $ref: shared } = described;
			const response = typeof shared === "string" ? toJson(toJson(components["responses"])[shared.split("/").at(-1) ?? ""]) : described;
			const words = String(response["description"]);
			expect({ id, status, codes: [response["x-codes"]].flat().toSorted() }).toEqual({ id, status, codes });
			expect(codes.filter((code) => !words.includes(`\`${code}\``))).toEqual([]);
			if (own.some(({ operationId }) => operationId === id)) continue;
			expect(toJson(toJson(response["content"])["application/json"])["schema"]).toEqual({ $ref: "#/components/schemas/ErrorResponse" });
		}
		const { code, details } = toJson(toJson(toJson(components["schemas"])["Refusal"])["properties"]);
		expect(toJson(code)).toMatchObject({ type: "string" });
		expect(Object.keys(toJson(details))).toEqual(["description"]);
	});

	it("refers to every component of a schema, because openapi-typescript and redocly fail for one that is never used", () => {
		const references = new Set(everywhere.flatMap(({ part }) => (typeof part["$ref"] === "string" ? [part["$ref"]] : [])));
		const unused = document.schemas.filter(([name]) => !references.has(`#/components/schemas/${name}`));
		expect(unused.map(([name]) => name)).toEqual([]);
		const extensions = everywhere.filter(({ part }) => Object.entries(part).some(([key, value]) => key.startsWith("x-") && isJson(value)));
		expect(extensions.map(({ at }) => at)).toEqual([]);
	});

	it("is text in streams", () => {
		const streams = operations.flatMap(({ operationId, responses }) =>
			Object.values(toJson(responses)).flatMap((response) => {
				const media = toJson(toJson(response)["content"])["text/event-stream"];
				return media === undefined ? [] : [{ operationId, media: toJson(media) }];
			}),
		);
		expect(streams).toHaveLength(8);
		expect(streams.filter(({ media }) => toJson(media["schema"])["type"] !== "string")).toEqual([]);
	});
});

describe("operations", () => {
	it("have one tag, and events that the platform sends have a tag of their own", () => {
		const tagsOf = (parts: typeof document.operations) => parts.map(({ tags }) => tags);
		expect(tagsOf(document.operations).filter((tags) => tags.length !== 1)).toEqual([]);
		const ofEvents = new Set(tagsOf([...document.webhooks.values()]).flat());
		expect([...ofEvents]).toEqual(["Events"]);
		expect(tagsOf(document.operations).flat()).not.toContain("Events");
	});

	it("name multipart/form-data first among several types of a body", () => {
		const types = document.operations.map(({ requestBody }) => Object.keys(requestBody?.content ?? {}));
		const several = types.filter((each) => each.length > 1 && each.includes("multipart/form-data"));
		expect(several.length).toBeGreaterThanOrEqual(2);
		expect(several.filter(([first]) => first !== "multipart/form-data")).toEqual([]);
	});

	it("name the fields of a form, without which ogen writes code that does not compile", () => {
		const forms = document.operations.flatMap(({ operationId, requestBody }) => {
			const form = requestBody?.content["application/x-www-form-urlencoded"];
			return form === undefined ? [] : [{ operationId, schema: toJson(form.schema) }];
		});
		expect(forms.length).toBeGreaterThanOrEqual(4);
		expect(forms.filter(({ schema }) => !isJson(schema["properties"]))).toEqual([]);
	});

	it("declare no length of a header that the server does not enforce", () => {
		const declared = document.operations.flatMap(({ operationId, parameters = [] }) =>
			parameters
				.filter((parameter) => parameter.in === "header" && parameter.schema["maxLength"] !== undefined)
				.map(({ name, schema }) => ({ operationId, name: name.toLowerCase(), length: Number(schema["maxLength"]) })),
		);
		expect(declared.length).toBeGreaterThan(10);
		const unenforced = declared.filter(({ operationId, name, length }) => {
			const field = endpoints.find((contract) => contract.operationId === operationId)?.headers?.shape[name];
			return field === undefined || ["x", "1"].some((letter) => field.safeParse(letter.repeat(length + 1)).success);
		});
		expect(unenforced).toEqual([]);
	});

	it("name bytes of any type first among several types of a response", () => {
		const types = document.operations.flatMap(({ responses }) => Object.values(responses).map(({ content }) => Object.keys(content ?? {})));
		const several = types.filter((each) => each.length > 1 && each.includes("*/*"));
		expect(several.length).toBeGreaterThan(0);
		expect(several.filter(([first]) => first !== "*/*")).toEqual([]);
	});

	it("take the content of a file as FileContent", () => {
		const { FileContent } = Object.fromEntries(document.schemas);
		// A text and an object: ogen and openapi-generator's Kotlin cannot tell two kinds of object apart.
		expect([FileContent?.["oneOf"]].flat().map((each) => toJson(each)["type"])).toEqual(["string", "object"]);
		for (const name of ["QuickSubmitRequest", "DryRunRequest"]) {
			const request = Object.fromEntries(document.schemas)[name];
			const files = toJson(toJson(request?.["properties"])["files"]);
			expect({ name, content: files["additionalProperties"] }).toEqual({ name, content: { $ref: "#/components/schemas/FileContent" } });
		}
	});
});

describe("pieces of the document", () => {
	const pieces = buildOpenApiPieces(whole);

	it("have all operations, without the requests that the platform sends", () => {
		const operationsOnly: Json = JSON.parse(String(pieces.get("openapi/operations.json")));
		expect(operationsOnly["webhooks"]).toBeUndefined();
		expect(operationsOnly["paths"]).toEqual(whole["paths"]);
		expect(toJson(toJson(operationsOnly["components"])["schemas"])["TaskOpenedEvent"]).toBeUndefined();
	});

	it("are valid documents, whose references they have themselves", async () => {
		const documents = [...pieces].filter(([path]) => !path.startsWith("openapi/calls/"));
		expect(documents.length).toBeGreaterThan(endpoints.length);
		for (const [path, text] of documents) {
			const piece: Json = JSON.parse(String(text));
			const missing = [...String(text).matchAll(/"#\/components\/([\w-]+)\/([\w.-]+)"/g)].filter(
				([, kind = "", name = ""]) => toJson(toJson(piece["components"])[kind])[name] === undefined,
			);
			expect({ path, missing }).toEqual({ path, missing: [] });
		}
		for (const path of ["openapi/operations.json", "openapi/streamTask.json", "openapi/tags/webhooks.json"]) {
			const result = await new Validator().validate(JSON.parse(String(pieces.get(path))));
			expect({ path, result }).toMatchObject({ path, result: { valid: true } });
		}
	});
});
