// Provides the OpenAPI document as its readers see it: separate operations, resolved references, and values checked against its schemas.
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import * as z from "zod";
import { eventsOfStream } from "../../scripts/openapi/stream-events.ts";

const json = z.record(z.string(), z.unknown());

const example = z.object({ summary: z.string().optional(), value: z.unknown() });

const mediaType = z.object({
	schema: json,
	example: z.unknown().optional(),
	examples: z.record(z.string(), example).optional(),
});

const parameter = z.object({
	name: z.string(),
	in: z.enum(["path", "query", "header"]),
	description: z.string().optional(),
	required: z.boolean(),
	schema: json,
	example: z.unknown().optional(),
});

const header = z.object({ description: z.string(), schema: json });

const response = z.object({
	description: z.string(),
	headers: z.record(z.string(), header).optional(),
	content: z.record(z.string(), mediaType).optional(),
});

const operation = z.object({
	operationId: z.string(),
	summary: z.string(),
	description: z.string(),
	tags: z.array(z.string()),
	security: z.array(json),
	externalDocs: z.object({ url: z.string() }).optional(),
	parameters: z.array(parameter).optional(),
	requestBody: z
		.object({ description: z.string().optional(), required: z.boolean().optional(), content: z.record(z.string(), mediaType) })
		.optional(),
	responses: z.record(z.string(), response),
});

export type Operation = z.output<typeof operation> & { readonly method: string; readonly path: string };
export type MediaType = z.output<typeof mediaType>;
export type JsonSchema = z.output<typeof json>;

const streamEvent = z.object({ event: z.string(), data: z.string() });

const COMPONENTS = "components";

/** Returns a copy whose references point into the one schema that contains all components for the validator. */
function pointToDefinitions(schema: unknown): unknown {
	return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/schemas/', `"${COMPONENTS}#/$defs/`));
}

export class OpenApiDocument {
	readonly operations: readonly Operation[];
	/** The requests that the platform posts to receivers, by event. */
	readonly webhooks: ReadonlyMap<string, Operation>;
	/** The schemas, each with its name. */
	readonly schemas: readonly (readonly [string, JsonSchema])[];
	readonly #document: JsonSchema;
	/** The compiled validators by the text of their schema, because many responses have the same one. */
	readonly #compiled = new Map<string, ValidateFunction>();
	readonly #ajv = new Ajv2020({ strictTypes: false, allErrors: true, validateFormats: true });

	constructor(document: unknown) {
		this.#document = json.parse(document);
		formats(this.#ajv);
		const { schemas } = json.parse(this.#document["components"]);
		this.schemas = Object.entries(z.record(z.string(), json).parse(schemas));
		this.#ajv.addSchema({ $id: COMPONENTS, $defs: pointToDefinitions(schemas) });
		this.operations = this.#operationsOf("paths");
		this.webhooks = new Map(this.#operationsOf("webhooks").map((each) => [each.path, each]));
	}

	find(operationId: string): Operation {
		const found = this.operations.find((candidate) => candidate.operationId === operationId);
		if (found === undefined) throw new Error(`The document has no operation ${operationId}.`);
		return found;
	}

	/** Returns the faults of a value against a schema of this document, or an empty list if it fits. */
	faultsOf(schema: JsonSchema, value: unknown): string[] {
		const text = JSON.stringify(schema);
		const validate = this.#compiled.get(text) ?? this.#ajv.compile(json.parse(pointToDefinitions(schema)));
		this.#compiled.set(text, validate);
		if (validate(value) === true) return [];
		return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath === "" ? "/" : instancePath} ${message}`);
	}

	/** Returns the faults of the `data` of a stream's event, as {@link faultsOf} does. */
	faultsOfEvent({ schema: stream }: Pick<MediaType, "schema">, event: unknown): string[] {
		const { event: name, data } = streamEvent.parse(event);
		const schema = eventsOfStream(stream)[name];
		return schema === undefined ? [`There is no event ${name}.`] : this.faultsOf(schema, JSON.parse(data));
	}

	/** Returns the target of a schema that is only a reference, or the schema itself. */
	schemaBehind(schema: JsonSchema): JsonSchema {
		const { $ref: reference } = schema;
		return typeof reference === "string" ? json.parse(this.#resolve(reference)) : schema;
	}

	#operationsOf(section: "paths" | "webhooks"): Operation[] {
		const items = z.record(z.string(), json).parse(this.#document[section]);
		return Object.entries(items).flatMap(([path, methods]) =>
			Object.entries(methods).map(([method, value]) => ({ ...operation.parse(this.#follow(value, ["schema"])), method, path })),
		);
	}

	/** Replaces references with their targets, but not in schemas, which may be recursive. */
	#follow(value: unknown, except: readonly string[]): unknown {
		if (Array.isArray(value)) return value.map((item) => this.#follow(item, except));
		const parsed = json.safeParse(value);
		if (!parsed.success) return value;
		const { $ref: reference } = parsed.data;
		if (typeof reference === "string") return this.#follow(this.#resolve(reference), except);
		return Object.fromEntries(
			Object.entries(parsed.data).map(([key, part]) => [key, except.includes(key) ? part : this.#follow(part, except)]),
		);
	}

	#resolve(reference: string): unknown {
		const parts = reference.replace("#/", "").split("/");
		return parts.reduce<unknown>((value, part) => json.parse(value)[part.replaceAll("~1", "/")], this.#document);
	}
}
