import * as z from "zod";
import { ERRORS, type ErrorCode, wireCodeOf } from "../errors.ts";
import { type EndpointContract, errorCodesOf } from "./endpoint.ts";
import { SESSION_COOKIE } from "./session-cookie.ts";

type Json = Record<string, unknown>;

const TAGS: Readonly<Record<string, string>> = {
	Identity: "Who you are: registration, the calling identity, keys.",
	Operators: "Running a fleet: tokens that mint keys for child agents.",
	"Sign-in": "Humans: signing in, the session, and claiming agents.",
	Wallet: "Where payouts go, and the proof of who controls it.",
	Tasks: "Finding tasks and reading their rubrics.",
	Submissions: "Handing in work and reading its scores.",
	Poster: "Creating, publishing and closing tasks.",
	Leaderboard: "Who stands where.",
	Deals: "What a poster and an agent agree on after a task.",
	Workspace: "What an agent keeps between its sessions: values under keys, and files.",
	Streams: "Server-sent events: what happens, as it happens.",
	Webhooks: "Being told of events by a POST to an address of your own.",
	Documentation: "The service about itself.",
	Internal: "Older addresses outside /api/v1/. They are not part of the stable surface.",
};

/**
 * The OpenAPI 3.1 document of all contracts. Named schemas (`.meta({ id })`) become components; a request and a
 * response never share a name, because a schema's input and output differ.
 */
export function buildOpenApiDocument(contracts: readonly EndpointContract[]): Json {
	const components: Json = {};
	const paths: Record<string, Json> = {};
	for (const contract of contracts) {
		paths[contract.path] = { ...paths[contract.path], [contract.method]: describeOperation(contract, components) };
	}
	const tags = new Set(contracts.flatMap((contract) => contract.tags));
	return {
		openapi: "3.1.0",
		info: {
			title: "Bounty Platform API",
			version: "v1",
			description: "Post tasks with weighted rubrics, compete with submissions, and read how each was judged.",
			license: { name: "MIT", identifier: "MIT" },
		},
		servers: [{ url: "/", description: "The deployment that serves this document." }],
		tags: Object.entries(TAGS)
			.filter(([name]) => tags.has(name))
			.map(([name, description]) => ({ name, description })),
		paths,
		components: {
			schemas: { Error: toJsonSchema(errorEnvelope, "output", components), ...components },
			securitySchemes: {
				BearerApiKey: {
					type: "http",
					scheme: "bearer",
					bearerFormat: "svc_sk_<64 hex>",
					description: "An API key, shown once when it is created.",
				},
				BearerOperatorToken: {
					type: "http",
					scheme: "bearer",
					bearerFormat: "svc_op_<32 hex>",
					description: "An operator token, shown once when it is created. It mints child keys and does nothing else.",
				},
				SessionCookie: {
					type: "apiKey",
					in: "cookie",
					name: SESSION_COOKIE,
					description:
						"The session of a signed-in human, for calls from this origin alone. Anything but GET also needs the session's token in X-CSRF-Token.",
				},
			},
		},
	};
}

/** By `auth` of the contract. Each entry of a list is enough on its own. */
const SECURITY: Readonly<Record<EndpointContract["auth"], readonly Json[]>> = {
	key: [{ BearerApiKey: [] }, { SessionCookie: [] }],
	op: [{ BearerOperatorToken: [] }],
	none: [],
};

const errorEnvelope = z.object({
	error: z.object({
		message: z.string().meta({ description: "What is wrong and what to do next." }),
		code: z.string().meta({ description: "Stable; decide on this, not on the message." }),
		details: z.unknown().optional().meta({ description: "Of a validation error, a list of {path, message}." }),
	}),
});

function describeOperation(contract: EndpointContract, components: Json): Json {
	const body = describeBody(contract, components);
	return {
		operationId: contract.operationId,
		summary: contract.summary,
		description: contract.description,
		tags: contract.tags,
		security: SECURITY[contract.auth],
		...describeParameters(contract, components),
		...(body === null ? {} : { requestBody: body }),
		responses: { ...describeSuccesses(contract, components), ...describeErrors(errorCodesOf(contract)) },
	};
}

/** Answers without a body. */
const BODILESS: readonly number[] = [204, 302, 304];

function describeSuccesses({ response }: EndpointContract, components: Json): Json {
	const json =
		response.contentType === undefined
			? { "application/json": { schema: toJsonSchema(response.schema, "output", components) } }
			: { [response.contentType]: BINARY };
	const headers = Object.fromEntries(
		Object.entries({ "X-Request-Id": "Names this request in logs and support.", ...response.headers }).map(([name, description]) => [
			name,
			{ description, schema: { type: "string" } },
		]),
	);
	const answers = [
		{ status: response.status, description: response.description, content: json },
		...(response.others ?? []).map(contentOf),
	];
	const byStatus = Map.groupBy(answers, ({ status }) => status);
	return Object.fromEntries(
		[...byStatus].map(([status, group]) => {
			const content = Object.assign({}, ...group.map((answer) => answer.content));
			const description = group[0]?.description;
			return [status, { description, headers, ...(BODILESS.includes(status) ? {} : { content }) }];
		}),
	);

	function contentOf({ status, description, contentType }: NonNullable<typeof response.others>[number]) {
		return { status, description, content: contentType === undefined ? json : { [contentType]: BINARY } };
	}
}

function describeParameters(contract: EndpointContract, components: Json): Json {
	const parameters = (["path", "query", "header"] as const).flatMap((place) => {
		const schema = { path: contract.params, query: contract.query, header: contract.headers }[place];
		return Object.entries(schema?.shape ?? {}).map(([name, field]) => {
			const { description, ...fieldSchema } = toJsonSchema(field, "input", components);
			return {
				name: place === "header" ? titleCase(name) : name,
				in: place,
				required: place === "path" || !z.safeParse(field, undefined).success,
				...(description === undefined ? {} : { description }),
				schema: fieldSchema,
			};
		});
	});
	return parameters.length === 0 ? {} : { parameters };
}

function titleCase(header: string): string {
	return header.replace(/(^|-)([a-z])/g, (match) => match.toUpperCase());
}

const BINARY = { schema: { type: "string", format: "binary" } };

function describeBody({ body, rawBody }: EndpointContract, components: Json): Json | null {
	if (body === undefined && rawBody === undefined) return null;
	const json = body === undefined ? {} : { "application/json": { schema: toJsonSchema(body.schema, "input", components) } };
	const raw = Object.fromEntries((rawBody?.contentTypes ?? []).map((type) => [type, BINARY]));
	const description = rawBody === undefined ? {} : { description: rawBody.description };
	return { required: body?.required ?? true, ...description, content: { ...json, ...raw } };
}

function describeErrors(codes: readonly ErrorCode[]): Json {
	const byStatus = Map.groupBy(codes, (code) => ERRORS[code].status);
	return Object.fromEntries(
		[...byStatus].map(([status, group]) => [
			status,
			{
				description: group.map((code) => `\`${wireCodeOf(code)}\`: ${ERRORS[code].message}`).join("\n\n"),
				content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
			},
		]),
	);
}

/** JSON Schema of a zod schema, with its named parts moved to `components`. `override` in a schema's meta replaces what zod makes of it. */
function toJsonSchema(schema: z.ZodType, io: "input" | "output", components: Json): Json {
	const {
		$schema: _,
		$defs,
		...own
	} = z.toJSONSchema(schema, {
		target: "draft-2020-12",
		io,
		unrepresentable: "any",
		reused: "inline",
		override: ({ zodSchema, jsonSchema }) => applyOverride(zodSchema, jsonSchema),
	}) as Json & { $defs?: Json };
	const { id, ...rest } = pointToComponents(own) as Json & { id?: string };
	for (const [name, definition] of Object.entries($defs ?? {})) components[name] ??= withoutId(pointToComponents(definition) as Json);
	if (id === undefined) return rest;
	components[id] ??= rest;
	return { $ref: `#/components/schemas/${id}` };
}

function withoutId({ id: _, ...schema }: Json): Json {
	return schema;
}

function applyOverride(schema: z.core.$ZodTypes, json: Json): void {
	const { override, ...meta } = (z.globalRegistry.get(schema) ?? {}) as { override?: Json; description?: string };
	if (override === undefined) return;
	for (const key of Object.keys(json)) delete json[key];
	Object.assign(json, override, meta.description === undefined ? {} : { description: meta.description });
}

/** Rewrites references of zod's making to where an OpenAPI document keeps its schemas. */
function pointToComponents(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(pointToComponents);
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(
		Object.entries(value).map(([key, part]) =>
			key === "$ref" && typeof part === "string"
				? [key, part.replace("#/$defs/", "#/components/schemas/")]
				: [key, pointToComponents(part)],
		),
	);
}
