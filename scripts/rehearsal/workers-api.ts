// Imitates Cloudflare's API for one Worker: versions, secrets and static files.
import * as z from "zod";
import { ACCOUNT, type Answer, absent, type Call, type CloudflareApi, type ImitationChoices } from "./api-state.ts";
import { refuseContainer } from "./containers-api.ts";

export const SCRIPTS = `${ACCOUNT}/workers/scripts/`;

export async function answerScripts(api: CloudflareApi, call: Call, { onUpload }: ImitationChoices): Promise<Answer> {
	const { method, path, body } = call;
	const [worker = "", action, id] = path.slice(SCRIPTS.length).split("/");
	const fixed: Readonly<Record<string, Answer>> = {
		settings: absent(10007),
		subdomain: { result: { enabled: true, previews_enabled: false } },
		schedules: { result: { schedules: [] } },
		secrets: api.secrets === null ? absent(10007) : { result: api.secrets.map((name) => ({ name, type: "secret_text" })) },
	};
	if (action === "assets-upload-session") return beginAssets(api, call);
	if (action?.startsWith("secrets") && method !== "GET") return writeSecrets(api, call);
	if (action === "deployments") return method === "POST" ? deployVersion(api, body) : { result: { deployments: listDeployments(api) } };
	if (action === "versions" && id !== undefined) return showVersion(api, id);
	if (action !== undefined) return fixed[action] ?? absent(7003);
	return method === "PUT" ? takeWorker(api, { worker, call, onUpload }) : absent(10007);
}

/** wrangler uploads this Worker before it can set a secret. */
const DRAFT = "export default { fetch() {} }";

const uploadedMetadata = z.object({
	bindings: z.array(z.looseObject({ type: z.string(), name: z.string(), text: z.string().optional() })).default([]),
	exports: z.record(z.string(), z.object({ type: z.literal("durable-object"), storage: z.literal("sqlite") })).default({}),
	containers: z.array(z.looseObject({ class_name: z.string().optional() })).default([]),
});
type Metadata = z.output<typeof uploadedMetadata>;

/** The variables without which the platform rejects every request. */
const REQUIRED = ["SECRETS_KEY", "PUBLIC_URL"];

interface UploadedWorker {
	readonly worker: string;
	readonly call: Call;
	readonly onUpload: ImitationChoices["onUpload"];
}

async function takeWorker(api: CloudflareApi, { worker, call, onUpload }: UploadedWorker): Promise<Answer> {
	const { body, contentType } = call;
	if (api.versions.length === 0 && body.includes(DRAFT)) {
		api.secrets = [];
		return { result: { id: worker, deployment_id: addVersion(api, "draft"), startup_time_ms: 1 } };
	}
	if (!body.includes(tokenOf("complete"))) return { status: 400, code: 10021, message: "The static files are not complete" };
	const form = await new Response(body, { headers: { "Content-Type": contentType } }).formData();
	const metadata = uploadedMetadata.parse(JSON.parse(String(form.get("metadata"))));
	const refusal = takeSecrets(api, metadata) ?? takeClasses(api, worker, metadata);
	if (refusal !== null) return refusal;
	await onUpload?.();
	return { result: { id: worker, deployment_id: addVersion(api, "upload"), startup_time_ms: 10 } };
}

/** Stores the secrets that come with the Worker. Rejects a Worker without its required secrets. */
function takeSecrets(api: CloudflareApi, { bindings }: Metadata): Answer | null {
	const secrets = bindings.filter(({ type }) => type === "secret_text");
	const variables = bindings.filter(({ type }) => type === "plain_text").map(({ name }) => name);
	for (const { name, text = "" } of secrets) api.values.set(name, text);
	api.secrets = [...new Set([...(api.secrets ?? []), ...secrets.map(({ name }) => name)])];
	const missing = REQUIRED.filter((name) => !variables.includes(name) && api.secrets?.includes(name) !== true);
	return missing.length === 0 ? null : { status: 400, code: 10_021, message: `The Worker would not work without ${missing.join(", ")}` };
}

function takeClasses(api: CloudflareApi, worker: string, { exports: declared, containers, bindings }: Metadata): Answer | null {
	const contained = containers.flatMap(({ class_name }) => class_name ?? []);
	const plain = contained.find((name) => api.classes.get(name) === false);
	if (plain !== undefined) return refuseContainer(plain);
	const undeclared = [...api.classes.keys()].find((name) => !(name in declared));
	if (undeclared !== undefined) return { status: 400, code: 10_074, message: `The class ${undeclared} exists but is not declared` };
	for (const name of Object.keys(declared)) if (!api.classes.has(name)) api.classes.set(name, contained.includes(name));
	const bound = bindings.flatMap(({ type, class_name }) => (type === "durable_object_namespace" ? [String(class_name)] : []));
	const unknown = bound.find((name) => !api.classes.has(name));
	if (unknown !== undefined) return { status: 400, code: 10_061, message: `No export declares the class ${unknown}` };
	api.worker = worker;
	api.containers = containers;
	return null;
}

/** Describes the Worker. Before the first version, there is none. */
export function describeWorker({ versions }: CloudflareApi): Answer {
	if (versions.length === 0) return absent(10090);
	return { result: { default_environment: { script: { tag: "worker1", last_deployed_from: "wrangler" } } } };
}

/** Lists the classes of the uploaded Worker. */
export function listNamespaces({ classes, worker }: CloudflareApi): Answer {
	return { result: [...classes.keys()].map((name) => ({ id: name, name, script: worker, class: name, use_sqlite: true })) };
}

/** Adds a version, which serves all traffic at once. */
function addVersion(api: CloudflareApi, origin: CloudflareApi["versions"][number]): string {
	api.versions.push(origin);
	const id = `version-${api.versions.length}`;
	api.deployments.push(id);
	return id;
}

const createdAt = (index: number): string => `2026-01-01T00:00:${String(index).padStart(2, "0")}.000Z`;

function listDeployments({ deployments }: CloudflareApi) {
	return deployments
		.map((version_id, index) => ({
			id: `deployment-${index}`,
			created_on: createdAt(index),
			source: "wrangler",
			strategy: "percentage",
			author_email: "operator@example.com",
			versions: [{ version_id, percentage: 100 }],
		}))
		.toReversed();
}

function showVersion({ versions, classes, containers }: CloudflareApi, id: string): Answer {
	const index = versions.findIndex((_, at) => id === `version-${at + 1}`);
	if (index < 0) return absent(10148);
	const bindings = [...classes.keys()].map((name) => ({ type: "durable_object_namespace", name, class_name: name, namespace_id: name }));
	const resources = { bindings, script_runtime: containers.length === 0 ? {} : { containers } };
	return { result: { id, number: index + 1, metadata: { created_on: createdAt(index), source: "wrangler" }, annotations: {}, resources } };
}

const deploymentRequest = z.object({
	versions: z.tuple([z.object({ version_id: z.string(), percentage: z.literal(100) })]),
	code_update_strategy: z.object({ mode: z.string(), max_delay: z.number().optional() }),
});

function deployVersion(api: CloudflareApi, body: string): Answer {
	const { versions, code_update_strategy } = deploymentRequest.parse(JSON.parse(body));
	const [{ version_id }] = versions;
	api.deployments.push(version_id);
	api.codeUpdate = code_update_strategy;
	return { result: { id: `deployment-${api.deployments.length}` } };
}

const secret = z.object({ text: z.string() });
const secretsPatch = z.object({ secrets: z.record(z.string(), secret.nullable()) });

/** Sets one secret, or several at once. Null deletes a secret. */
function writeSecrets(api: CloudflareApi, { path, body }: Call): Answer {
	if (api.secrets === null) return absent(10007);
	if (path.endsWith("/secrets-bulk")) return changeSecrets(api, secretsPatch.parse(JSON.parse(body)).secrets);
	const { name, text } = secret.extend({ name: z.string() }).parse(JSON.parse(body));
	return changeSecrets(api, { [name]: { text } });
}

function changeSecrets(api: CloudflareApi, secrets: z.output<typeof secretsPatch>["secrets"]): Answer {
	for (const [name, secret] of Object.entries(secrets)) {
		api.secrets = (api.secrets ?? []).filter((known) => known !== name);
		api.values.delete(name);
		if (secret === null) continue;
		api.secrets.push(name);
		api.values.set(name, secret.text);
	}
	addVersion(api, "secrets");
	return { result: {} };
}

const tokenOf = (use: string): string =>
	[{ alg: "none" }, { use, exp: 4e9 }, "signature"].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

const manifests = new WeakMap<CloudflareApi, Map<string, string>>();

/** Responds with the files that no earlier version had. If there are none, the token is the one that ends an upload. */
function beginAssets(api: CloudflareApi, { body }: Call): Answer {
	const { manifest } = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string(), size: z.int() })) }).parse(JSON.parse(body));
	const pathByHash = new Map(Object.entries(manifest).map(([path, { hash }]) => [hash, path]));
	manifests.set(api, pathByHash);
	const missing = [...pathByHash.keys()].filter((hash) => !api.assets.has(hash));
	return { result: missing.length === 0 ? { jwt: tokenOf("complete"), buckets: [] } : { jwt: tokenOf("upload"), buckets: [missing] } };
}

export async function takeAssets(api: CloudflareApi, { contentType, body }: Call): Promise<Answer> {
	const form = await new Response(body, { headers: { "Content-Type": contentType } }).formData();
	const pathByHash = manifests.get(api);
	for (const hash of form.keys()) api.assets.set(hash, pathByHash?.get(hash) ?? `unknown ${hash}`);
	return { result: { jwt: tokenOf("complete"), buckets: [] } };
}
