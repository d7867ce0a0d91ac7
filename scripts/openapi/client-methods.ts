// Writes packages/sdk/src/generated/methods.ts: a method of the client for each operation, with its names and texts from the OpenAPI
// document. Rules decide the form of a method by the kind of its operation, so there is no table of names.
import { type DocumentedOperation, GENERATED_NOTE, JSON_TYPE, readOperations } from "./client-operations.ts";
import { pascalCase } from "./names.ts";

const HEAD = `import type { Core } from "../core/core.ts";
import type { FollowOptions, StreamEvent } from "../core/follow.ts";
import type { Bytes, CallOptions, UploadOptions } from "../core/options.ts";
import type { Paged } from "../core/pages.ts";
import type { Selected } from "../core/selection.ts";
import type { components, operations } from "./schema.ts";

type Schemas = components["schemas"];
`;

export function generateClientMethods(document: string): string {
	const operations = readOperations(document);
	const written = operations.filter(({ success }) => success !== null).map(writeMethod);
	const types = written.flatMap((method) => method.types);
	const methods = written.map(({ text }) => text).join("\n\n");
	return [
		GENERATED_NOTE + HEAD,
		writeTable(operations),
		types.join("\n"),
		"\n/** One method for each operation of the OpenAPI document, under its `operationId`. */\nexport class Methods {\n\tprotected readonly core: Core;\n\n\tconstructor(core: Core) {\n\t\tthis.core = core;\n\t}\n",
		`${methods}\n}\n`,
	].join("\n");
}

function writeTable(operations: readonly DocumentedOperation[]): string {
	const lines = operations.map(({ id, method, path, auth, takesIdempotencyKey, success }) => {
		const isJson = success !== null && success.types.length > 0 && success.types.every((type) => JSON_TYPE.test(type));
		const flags = (takesIdempotencyKey ? ", idempotencyKey: true" : "") + (isJson ? "" : ", isJson: false");
		return `\t${id}: { method: "${method}", path: "${path}", auth: "${auth}"${flags} },`;
	});
	return `/** Method, path and credential of each operation. A response can have another type than JSON where \`isJson\` is false. */\nexport const OPERATIONS = {\n${lines.join("\n")}\n} as const;\n`;
}

/** The text of a generated method, and the types that it names. */
interface Written {
	readonly types: readonly string[];
	readonly text: string;
}

/** How a method declares a parameter, and which part of the request it becomes. */
interface Argument {
	readonly declared: string;
	readonly sent: string;
	readonly type?: string;
}

function writeMethod(operation: DocumentedOperation): Written {
	const { id } = operation;
	const result = resultOf(operation);
	const body = bodyOf(operation);
	const given = [...pathOf(operation), ...(body === null ? [] : [body]), ...queryOf(operation)];
	const options = optionsOf(operation, result.kind);
	const parameters = [...given, options].map(({ declared }) => declared).join(", ");
	const input = `{ ${[...given.map(({ sent }) => sent), ...(result.kind === "stream" ? [] : ["...options"])].join(", ")} }`;
	const sent = result.kind === "stream" ? `"${id}", ${input}, options` : `"${id}", ${input}`;
	const isSelective = takesFields(operation);
	const selected = isSelective ? `Selected<${result.type}, Fields>` : result.type;
	const call = { json: `call<${selected}>`, list: `list<${result.type}>`, stream: `follow<${result.type}>`, bytes: "open" }[result.kind];
	const returned = {
		json: `Promise<${selected}>`,
		list: `Paged<${result.type}>`,
		stream: `AsyncGenerator<${result.type}, void, undefined>`,
		bytes: "Promise<Response>",
	}[result.kind];
	const generic = isSelective ? "<const Fields extends string | undefined = undefined>" : "";
	const named = [...given, options].flatMap(({ type = "" }) => (type === "" ? [] : [type]));
	return {
		types: [...named, ...(result.declaration === null ? [] : [result.declaration])],
		text: `${describe(operation)}\n\t${id}${generic}(${parameters}): ${returned} {\n\t\treturn this.core.${call}(${sent});\n\t}`,
	};
}

/** Returns the summary and the first paragraph of the description, as the documentation of a method. */
function describe({ summary, description, method, path }: DocumentedOperation): string {
	const lines = [`${summary}.`, "", ...description.split("\n\n", 1), "", `\`${method} ${path}\``];
	const text = lines.join("\n").replaceAll("*/", "*\\/").split("\n");
	return ["\t/**", ...text.map((line) => `\t * ${line}`.trimEnd()), "\t */"].join("\n");
}

/** Returns the parameters for the path: one for each id, or a signed URL if only the platform can create the path. */
function pathOf({ path, auth }: DocumentedOperation): Argument[] {
	if (auth === "signed") return [{ declared: "signedUrl: string", sent: "signedUrl" }];
	const names = [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
	if (names.length === 0) return [];
	return [{ declared: names.map((name) => `${name}: string`).join(", "), sent: `path: { ${names.join(", ")} }` }];
}

function bodyOf({ id, bodyTypes, binaryType: media, bodySchema, isBodyRequired }: DocumentedOperation): Argument | null {
	if (bodyTypes.length === 0) return null;
	const name = `${pascalCase(id)}Body`;
	const content = (type: string) => `NonNullable<operations["${id}"]["requestBody"]>["content"]["${type}"]`;
	const hasJson = bodyTypes.includes("application/json");
	if (!hasJson && media === undefined) {
		const files = bodySchema.files.map((file) => `"${file}"`).join(" | ");
		const fields = bodySchema.files.map((file) => `readonly ${file}: Blob`).join("; ");
		const type = `/** The form of \`${id}\`. A \`File\` has a name of its own. */\nexport type ${name} = Omit<${content("multipart/form-data")}, ${files}> & { ${fields} };`;
		return { declared: `form: ${name}`, sent: "form", type };
	}
	const json = bodySchema.name === null ? content("application/json") : `Schemas["${bodySchema.name}"]`;
	const type = hasJson ? `/** The JSON body of \`${id}\`. */\nexport type ${name} = ${json};` : "";
	if (media === undefined) {
		return { declared: isBodyRequired ? `body: ${name}` : `body: ${name} = {}`, sent: "body", type };
	}
	const declared = hasJson ? `body: ${name} | Bytes` : "body: Bytes";
	return { declared, sent: `body, mediaType: "${media}"`, type };
}

/** Returns true if the result depends on the query `fields`, so that the method infers its type from the value of `fields`. */
function takesFields({ query }: DocumentedOperation): boolean {
	return query.some(({ name }) => name === "fields");
}

function queryOf(operation: DocumentedOperation): Argument[] {
	const { id, query } = operation;
	if (query.length === 0) return [];
	const name = `${pascalCase(id)}Query`;
	const isRequired = query.some((parameter) => parameter.required);
	const type = `/** The query of \`${id}\`. */\nexport type ${name} = NonNullable<operations["${id}"]["parameters"]["query"]>;`;
	const declared = takesFields(operation)
		? `query: ${name} & { readonly fields?: Fields } = {}`
		: `query: ${name}${isRequired ? "" : " = {}"}`;
	return [{ declared, sent: "query", type }];
}

function optionsOf({ id, headers: own, binaryType }: DocumentedOperation, kind: ResultKind): Argument {
	if (kind === "stream") return { declared: "options: FollowOptions = {}", sent: "" };
	const base = binaryType === undefined ? "CallOptions" : "UploadOptions";
	if (own.length === 0) return { declared: `options: ${base} = {}`, sent: "" };
	const name = `${pascalCase(id)}Headers`;
	const isRequired = own.some(({ required }) => required);
	const type = `/** The headers that \`${id}\` accepts. */\nexport type ${name} = NonNullable<operations["${id}"]["parameters"]["header"]>;`;
	const declared = `options: ${base} & { readonly headers${isRequired ? "" : "?"}: ${name} }${isRequired ? "" : " = {}"}`;
	return { declared, sent: "", type };
}

type ResultKind = NonNullable<DocumentedOperation["success"]>["kind"];

interface Result {
	readonly kind: ResultKind;
	readonly type: string;
	readonly declaration: string | null;
}

function resultOf({ id, success }: DocumentedOperation): Result {
	const name = `${pascalCase(id)}Result`;
	if (success === null) throw new Error(`${id} has no successful response.`);
	const { status, kind, jsonType, schemaName, events } = success;
	if (kind === "stream") {
		const union = events.map(({ event, schema }) => `StreamEvent<"${event}", Schemas["${schema}"]>`).join(" | ");
		const type = `${pascalCase(id)}Event`;
		return { kind, type, declaration: `/** An event of \`${id}\`. */\nexport type ${type} = ${union};` };
	}
	if (kind === "bytes") return { kind, type: "Response", declaration: null };
	const content =
		schemaName === null ? `operations["${id}"]["responses"][${status}]["content"]["${jsonType}"]` : `Schemas["${schemaName}"]`;
	return { kind, type: name, declaration: `/** The result of \`${id}\`. */\nexport type ${name} = ${content};` };
}
