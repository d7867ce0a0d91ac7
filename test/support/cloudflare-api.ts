// As much of Cloudflare's API as a deployment touches, kept in memory, for the real wrangler to talk to.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { splitLikeRemote } from "./remote-splitter.ts";

const ACCOUNT = "/accounts/acc1";
const SCRIPTS = `${ACCOUNT}/workers/scripts/`;

export interface CloudflareApi {
	/** What wrangler needs to talk to it. */
	readonly env: Readonly<Record<string, string>>;
	readonly databases: string[];
	/** The database of a name, to look into. */
	open(database: string): DatabaseSync;
	/** Lets the server take no trigger in a query, as for one that its splitter cuts in the middle. */
	isSplitterBroken: boolean;
	readonly buckets: string[];
	readonly queues: string[];
	/** Null while there is no Worker. */
	secrets: string[] | null;
	/** Values of secrets that were set together, by name. */
	readonly values: Map<string, string>;
	/** Paths of the static files that have come in and belong to the deployed Worker. */
	readonly assets: string[];
	/** What was changed: method and path. */
	readonly changes: string[];
	close(): Promise<void>;
}

interface Call {
	readonly method: string;
	readonly path: string;
	readonly query: URLSearchParams;
	readonly contentType: string;
	readonly body: string;
}

type Answer =
	| { readonly result: unknown; readonly info?: unknown; readonly etag?: string }
	| { readonly status: number; readonly code: number; readonly message: string };

const named = z.object({ name: z.string() });
const absent = (code: number): Answer => ({ status: 404, code, message: "not found" });
const listing = (result: readonly unknown[]): Answer => ({
	result,
	info: { page: 1, per_page: 100, count: result.length, total_count: result.length, total_pages: 1 },
});

export async function startCloudflareApi(): Promise<CloudflareApi> {
	const changes: string[] = [];
	const contents = new Map<string, DatabaseSync>();
	const state = { databases: [] as string[], buckets: [] as string[], queues: [] as string[], assets: [] as string[], changes };
	const server = createServer(async (request, response) => {
		const call = await readCall(request);
		if (call.method !== "GET" && !call.path.endsWith("/query")) changes.push(`${call.method} ${call.path}`);
		const answer = await answerCall(api, call);
		const isRefusal = "code" in answer;
		const etag = "etag" in answer ? { ETag: answer.etag } : {};
		response.writeHead(isRefusal ? answer.status : 200, { "Content-Type": "application/json", ...etag });
		response.end(
			JSON.stringify(
				isRefusal
					? { success: false, errors: [{ code: answer.code, message: answer.message }], messages: [], result: null }
					: { success: true, errors: [], messages: [], result: answer.result, result_info: answer.info },
			),
		);
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const api: CloudflareApi = {
		...state,
		secrets: null,
		values: new Map(),
		isSplitterBroken: false,
		open(database) {
			const found = contents.get(database) ?? new DatabaseSync(":memory:");
			contents.set(database, found);
			return found;
		},
		env: {
			CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${port}/client/v4`,
			CLOUDFLARE_API_TOKEN: "0".repeat(40),
			CLOUDFLARE_ACCOUNT_ID: "acc1",
		},
		close: () =>
			new Promise((closed) => {
				for (const database of contents.values()) database.close();
				server.close(() => closed());
			}),
	};
	return api;
}

async function readCall(request: IncomingMessage): Promise<Call> {
	const chunks: Uint8Array[] = [];
	for await (const chunk of request) chunks.push(chunk);
	const { pathname, searchParams } = new URL(request.url ?? "/", "http://api");
	return {
		method: request.method ?? "GET",
		path: pathname.replace("/client/v4", ""),
		query: searchParams,
		contentType: request.headers["content-type"] ?? "",
		body: Buffer.concat(chunks).toString("utf8"),
	};
}

async function answerCall(api: CloudflareApi, call: Call): Promise<Answer> {
	const { method, path } = call;
	const fixed: Readonly<Record<string, Answer>> = {
		"/user": { result: { id: "user1", email: "operator@example.com" } },
		"/user/tokens/verify": { result: { id: "token1", status: "active" } },
		"/accounts": listing([{ id: "acc1", name: "Operator" }]),
		"/memberships": listing([{ id: "member1", account: { id: "acc1", name: "Operator" } }]),
		[`${ACCOUNT}/workers/subdomain`]: { result: { subdomain: "operator" } },
	};
	const answer = fixed[path];
	if (answer !== undefined) return answer;
	if (path === `${ACCOUNT}/workers/assets/upload`) return takeAssets(api, call);
	if (path.startsWith(SCRIPTS)) return answerScripts(api, call);
	if (path.startsWith(`${ACCOUNT}/workers/services/`)) return absent(10090);
	if (path.startsWith(`${ACCOUNT}/workers/workers/`)) {
		return { result: { id: "worker1", name: path.split("/").at(-1), subdomain: { enabled: false } } };
	}
	if (path.startsWith(`${ACCOUNT}/d1/database`)) return answerDatabases(api, call);
	if (path.startsWith(`${ACCOUNT}/r2/buckets`)) return answerBuckets(api, call);
	if (path.startsWith(`${ACCOUNT}/queues`)) return answerQueues(api, call);
	if (path.startsWith("/uploads/")) return takeUpload(call);
	return { status: 404, code: 7003, message: `The test knows no ${method} ${path}` };
}

/** Requests about one Worker, which was never deployed. */
function answerScripts(api: CloudflareApi, call: Call): Answer {
	const { method, path, body } = call;
	const [worker = "", action] = path.slice(SCRIPTS.length).split("/");
	const fixed: Readonly<Record<string, Answer>> = {
		settings: absent(10007),
		subdomain: { result: { enabled: true, previews_enabled: false } },
		schedules: { result: { schedules: [] } },
		deployments: { result: { deployments: [], id: "deployment1" } },
		secrets: api.secrets === null ? absent(10007) : { result: api.secrets.map((name) => ({ name, type: "secret_text" })) },
	};
	if (action === "assets-upload-session") return beginAssets(api, call);
	if (action === "secrets-bulk" && method === "PATCH") return changeSecrets(api, body);
	if (action !== undefined) return fixed[action] ?? absent(7003);
	if (method !== "PUT") return absent(10007);
	if (!body.includes(tokenOf("complete"))) return { status: 400, code: 10021, message: "The static files are not complete" };
	return { result: { id: worker, deployment_id: "deployment1", startup_time_ms: 10 } };
}

const secretsPatch = z.object({ secrets: z.record(z.string(), z.object({ text: z.string() }).nullable()) });

function changeSecrets(api: CloudflareApi, body: string): Answer {
	const { secrets } = secretsPatch.parse(JSON.parse(body));
	for (const [name, secret] of Object.entries(secrets)) {
		api.secrets = (api.secrets ?? []).filter((known) => known !== name);
		api.values.delete(name);
		if (secret === null) continue;
		api.secrets.push(name);
		api.values.set(name, secret.text);
	}
	return { result: {} };
}

function answerDatabases(api: CloudflareApi, { method, path, body }: Call): Answer {
	const [, name, action] = path.slice(`${ACCOUNT}/d1/database`.length).split("/");
	const view = (database: string) => ({ uuid: database, name: database, version: "production" });
	if (name !== undefined && action === "query") return queryDatabase(api, { name, body });
	if (name !== undefined && action === "import") return importFile(api, { name, body });
	if (name !== undefined) return api.databases.includes(name) ? { result: view(name) } : absent(7404);
	if (method === "GET") return listing(api.databases.map(view));
	api.databases.push(named.parse(JSON.parse(body)).name);
	return { result: view(api.databases.at(-1) ?? "") };
}

/** Runs what the server's splitter makes of the text, all of it or nothing. */
function queryDatabase(api: CloudflareApi, { name, body }: { name: string; body: string }): Answer {
	const { sql } = z.object({ sql: z.string() }).parse(JSON.parse(body));
	const database = api.open(name);
	database.exec("BEGIN");
	try {
		if (api.isSplitterBroken && sql.includes("CREATE TRIGGER")) throw new Error("incomplete input");
		const meta = { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 };
		const result = splitLikeRemote(sql).map((statement) => ({ results: database.prepare(statement).all(), success: true, meta }));
		database.exec("COMMIT");
		return { result };
	} catch (error) {
		database.exec("ROLLBACK");
		return { status: 400, code: 7500, message: String(error) };
	}
}

const importRequest = z.object({ action: z.enum(["init", "ingest"]), etag: z.string() });
const uploads = new Map<string, string>();

/** The endpoint for SQL files, whose splitter has no fault. */
function importFile(api: CloudflareApi, { name, body }: { name: string; body: string }): Answer {
	const { action, etag } = importRequest.parse(JSON.parse(body));
	const common = { success: true, messages: [], type: "import", at_bookmark: "1", filename: etag };
	if (action === "init") return { result: { ...common, upload_url: `${api.env["CLOUDFLARE_API_BASE_URL"]}/uploads/${etag}` } };
	const database = api.open(name);
	database.exec(`BEGIN;\n${uploads.get(etag) ?? ""}\nCOMMIT;`);
	const meta = { duration: 1, rows_read: 0, rows_written: 1, size_after: 1 };
	return { result: { ...common, status: "complete", result: { num_queries: 1, final_bookmark: "2", meta } } };
}

function takeUpload({ body }: Call): Answer {
	const etag = createHash("md5").update(body).digest("hex");
	uploads.set(etag, body);
	return { result: {}, etag };
}

function answerBuckets({ buckets }: CloudflareApi, { method, path, body }: Call): Answer {
	const [, name] = path.slice(`${ACCOUNT}/r2/buckets`.length).split("/");
	if (name !== undefined) return buckets.includes(name) ? { result: { name } } : absent(10006);
	if (method === "POST") buckets.push(named.parse(JSON.parse(body)).name);
	return { result: { buckets: buckets.map((bucket) => ({ name: bucket })) } };
}

function answerQueues({ queues }: CloudflareApi, { method, path, query, body }: Call): Answer {
	if (path.endsWith("/consumers")) return method === "GET" ? listing([]) : { result: {} };
	const view = (name: string) => ({ queue_id: name, queue_name: name, producers: [], consumers: [], settings: {} });
	if (method === "POST") {
		const { queue_name } = z.object({ queue_name: z.string() }).parse(JSON.parse(body));
		queues.push(queue_name);
		return { result: view(queue_name) };
	}
	const wanted = query.getAll("name");
	return listing(queues.filter((name) => wanted.length === 0 || wanted.includes(name)).map(view));
}

const tokenOf = (use: string): string =>
	[{ alg: "none" }, { use, exp: 4e9 }, "signature"].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");

const manifests = new WeakMap<CloudflareApi, Map<string, string>>();

/** Asks for every file of the manifest, as for a Worker that has none yet. */
function beginAssets(api: CloudflareApi, { body }: Call): Answer {
	const { manifest } = z.object({ manifest: z.record(z.string(), z.object({ hash: z.string(), size: z.int() })) }).parse(JSON.parse(body));
	const pathByHash = new Map(Object.entries(manifest).map(([path, { hash }]) => [hash, path]));
	manifests.set(api, pathByHash);
	return { result: { jwt: tokenOf("upload"), buckets: [[...pathByHash.keys()]] } };
}

async function takeAssets(api: CloudflareApi, { contentType, body }: Call): Promise<Answer> {
	const form = await new Response(body, { headers: { "Content-Type": contentType } }).formData();
	const pathByHash = manifests.get(api);
	for (const hash of form.keys()) api.assets.push(pathByHash?.get(hash) ?? `unknown ${hash}`);
	return { result: { jwt: tokenOf("complete"), buckets: [] } };
}
