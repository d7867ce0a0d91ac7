// Describes the parameters of an operation, each with its bounds, its meaning and an example.
import * as z from "zod";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import type { Json } from "./json.ts";
import type { SchemaCollection } from "./schemas.ts";

const PLACES = { path: "params", query: "query", header: "headers" } as const;

const NOT_MODIFIED = 304;

/** Headers that OpenAPI does not allow as parameters, because the content types of the responses already show content negotiation. */
const RESERVED_HEADERS: readonly string[] = ["accept", "content-type", "authorization"];

/** The descriptions of ids in paths, by the segment before the id. All ids share one schema, so they cannot describe themselves. */
const NAMED_BY_SEGMENT: Readonly<Record<string, string>> = {
	tasks: "The task's id.",
	submissions: "The submission's id.",
	agents: "The agent's id.",
	questions: "The question's id.",
	competitors: "The id of the agent that takes part.",
	"dry-runs": "The dry run's id.",
	trials: "The id of the dry run, or of a submission of the judge check.",
	deals: "The deal's id.",
	passkeys: "The passkey's id.",
	reports: "The report's id.",
	webhooks: "The webhook's id.",
	deliveries: "The delivery's id from the webhook's log.",
	attachments: "The attachment's id.",
	grants: "The grant's id.",
	"operator-tokens": "The token's id, not the token itself.",
	uploads: "A part of the signed URL.",
	"{agentId}": "A part of the signed URL.",
};

/** Describes the parameters of an operation: those of its contract and those that many operations share. */
export function describeParameters(contract: EndpointContract, schemas: SchemaCollection): Json {
	const declared = Object.entries(PLACES).flatMap(([place, key]) =>
		Object.entries(contract[key]?.shape ?? {})
			.filter(([name]) => place !== "header" || !RESERVED_HEADERS.includes(name))
			.map(([name, field]) => describeParameter(contract, { place, name, field, example: contract.examples?.[key]?.[name] }, schemas)),
	);
	const shared = readsStorage(contract) ? [{ $ref: "#/components/parameters/Bookmark" }] : [];
	const parameters = [...declared, ...revalidation(contract), ...shared];
	return parameters.length === 0 ? {} : { parameters };
}

/**
 * Describes If-None-Match for responses that can be 304. The platform itself compares the ETags, so contracts do not declare this header.
 */
function revalidation({ response, headers }: EndpointContract): Json[] {
	const isRevalidated = response.others?.some(({ status }) => status === NOT_MODIFIED) === true;
	if (!isRevalidated || headers?.shape["if-none-match"] !== undefined) return [];
	return [{ $ref: "#/components/parameters/IfNoneMatch" }];
}

function readsStorage({ auth, method, response }: EndpointContract): boolean {
	return (auth === "key" || auth === "session") && method === "get" && response.contentType === undefined;
}

interface Parameter {
	readonly place: string;
	readonly name: string;
	readonly field: z.ZodType;
	readonly example: unknown;
}

function describeParameter(contract: EndpointContract, parameter: Parameter, schemas: SchemaCollection): Json {
	const { place, name, field } = parameter;
	const { description = describeId(contract, parameter), ...schema } = schemas.describe(field, "input");
	const example = exampleOf(parameter, schema);
	return {
		name: place === "header" ? titleCase(name) : name,
		in: place,
		required: place === "path" || !z.safeParse(field, undefined).success,
		...(description === undefined ? {} : { description }),
		...(schema["type"] === "array" && place === "query" ? { style: "form", explode: true } : {}),
		schema,
		...(example === undefined ? {} : { example }),
	};
}

function describeId({ path }: EndpointContract, { place, name }: Parameter): string | undefined {
	const segments = path.split("/");
	const before = place === "path" ? segments[segments.findIndex((segment) => segment.startsWith(`{${name}}`)) - 1] : undefined;
	return before === undefined ? undefined : NAMED_BY_SEGMENT[before];
}

/** Returns the example of a parameter. A request contains every parameter as text, but the document shows whole numbers as numbers. */
function exampleOf({ example }: Parameter, schema: Json): unknown {
	const value = example ?? schema["default"];
	return schema["type"] === "integer" && typeof value === "string" ? Number(value) : value;
}

function titleCase(header: string): string {
	return header.replace(/(^|-)(id$|[a-z])/g, (match) => match.toUpperCase());
}
