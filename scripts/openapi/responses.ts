// Describes the successful responses of an operation by status and content type, with examples and headers.
import type { AuthKind, EndpointContract, NamedExamples, OperationExamples } from "../../src/http/endpoint.ts";
import { BINARY, describeExamples } from "./bodies.ts";
import { type Json, toJson } from "./json.ts";
import { nameOf } from "./names.ts";
import type { SchemaCollection } from "./schemas.ts";
import { describeEventStream, eventsOfStream } from "./stream-events.ts";

/** The statuses of responses without a body. */
const BODILESS: readonly number[] = [204, 302, 304];
const REDIRECT = 302;
/** This content type comes first, because some generators return bytes only for the first content type of a response. */
const ANY_TYPE = "*/*";
/** Credentials without an identity, whose callers have no data of their own to read again. */
const WITHOUT_BOOKMARK: readonly AuthKind[] = ["signed", "callback", "none"];

export function describeSuccesses(contract: EndpointContract, schemas: SchemaCollection): Json {
	const { response } = contract;
	const responses = [
		{ status: response.status, description: response.description, contentType: response.contentType, isEmpty: undefined },
		...(response.others ?? []),
	];
	const headers = describeHeaders(contract);
	return Object.fromEntries(
		[...Map.groupBy(responses, ({ status }) => status)].map(([status, group]) => {
			const [first] = group;
			const content: Json = Object.assign(
				{},
				...group.map(({ contentType }) => describeContent(contract, { status, contentType }, schemas)),
			);
			const { [ANY_TYPE]: bytes, ...others } = content;
			const description = [first?.description, ...Object.values(toJson(content)).flatMap((media) => wordEvents(toJson(media)))].join(
				"\n\n",
			);
			return [
				status,
				{
					description,
					headers,
					...(BODILESS.includes(status) || first?.isEmpty
						? {}
						: { content: bytes === undefined ? content : { [ANY_TYPE]: bytes, ...others } }),
				},
			];
		}),
	);
}

function describeContent(
	{ response, examples = {} }: EndpointContract,
	{ status, contentType }: { status: number; contentType: string | undefined },
	schemas: SchemaCollection,
): Json {
	if (BODILESS.includes(status)) return {};
	if (contentType === undefined) {
		const schema = schemas.describe(response.schema, "output");
		return { "application/json": { schema, ...describeExamples(examplesOf(examples.responses, response.status, status)) } };
	}
	const example = examples.texts?.[contentType];
	return {
		[response.hasAnyMediaType === true && contentType === "application/octet-stream" ? ANY_TYPE : contentType]: {
			...describeText(response, contentType, schemas),
			...(example === undefined ? {} : { example: response.events === undefined ? example : writeEvent(example) }),
		},
	};
}

/** Formats an event as a stream contains it. */
function writeEvent(event: unknown): string {
	return `${Object.entries(toJson(event))
		.map(([field, value]) => `${field}: ${value}\n`)
		.join("")}\n`;
}

function describeText({ events, textSchemas }: EndpointContract["response"], contentType: string, schemas: SchemaCollection): Json {
	const schema = textSchemas?.[contentType];
	if (schema !== undefined) return { schema: schemas.describe(schema, "output") };
	if (events === undefined) return describeRaw(contentType);
	const described = Object.entries(events).map(([name, data]) => [name, schemas.describe(data, "output")]);
	return { schema: describeEventStream(Object.fromEntries(described)) };
}

/** Names the events of a stream in words, because API pages do not show `contentSchema`. */
function wordEvents({ schema }: Json): string[] {
	const listed = Object.entries(eventsOfStream(toJson(schema))).map(([name, { $ref }]) => `\`${name}\` (${nameOf(String($ref))})`);
	if (listed.length === 0) return [];
	return [`Its events, each with the schema of the JSON in its \`data\`: ${listed.join(", ")}.`];
}

/** Describes content other than the platform's own JSON: text is a string, and JSON that others define can have any type. */
function describeRaw(contentType: string): Json {
	if (contentType.startsWith("text/")) return { schema: { type: "string" } };
	return /[/+]json$/.test(contentType) ? { schema: {} } : BINARY;
}

function examplesOf(responses: OperationExamples["responses"], usualStatus: number, status: number): NamedExamples<unknown> {
	const entries = Object.entries(responses ?? {}).filter(([, example]) => (example.status ?? usualStatus) === status);
	return Object.fromEntries(entries.map(([name, { summary, value }]) => [name, { ...(summary === undefined ? {} : { summary }), value }]));
}

function describeHeaders({ auth, rate, response }: EndpointContract): Json {
	const own = Object.entries(response.headers ?? {}).map(([name, description]) => [
		name,
		{ description, schema: { type: "string" }, ...(name === "Location" && response.status === REDIRECT ? { required: true } : {}) },
	]);
	const names = [
		"X-Request-Id",
		...(WITHOUT_BOOKMARK.includes(auth) ? [] : ["X-D1-Bookmark"]),
		...(rate === "none" ? [] : ["RateLimit-Policy"]),
		...(auth === "signed" ? [] : ["X-Ignored-Parameters"]),
	];
	const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
	return Object.fromEntries([...shared, ...own]);
}
