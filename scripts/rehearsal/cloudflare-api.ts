// Imitates in memory as much of Cloudflare's API as a deployment uses, for the real wrangler.
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { ACCOUNT, type Answer, absent, type Call, type CloudflareApi, type ImitationChoices } from "./api-state.ts";
import { answerContainers, CONTAINERS } from "./containers-api.ts";
import { splitLikeRemote } from "./remote-splitter.ts";
import { answerScripts, describeWorker, listNamespaces, SCRIPTS, takeAssets } from "./workers-api.ts";

const named = z.object({ name: z.string() });
const listing = (result: readonly unknown[]): Answer => ({
	result,
	info: { page: 1, per_page: 100, count: result.length, total_count: result.length, total_pages: 1 },
});

/**
 * Starts the imitation on a free port of this machine.
 *
 * @param choices Where databases are, if they must outlive it or belong to a running platform.
 */
export async function startCloudflareApi(choices: ImitationChoices = {}): Promise<CloudflareApi> {
	const changes: string[] = [];
	const contents = new Map<string, DatabaseSync>();
	const lists = { databases: [] as string[], buckets: [] as string[], queues: [] as string[] };
	const server = createServer(async (request, response) => {
		const call = await readCall(request);
		if (call.method !== "GET" && !call.path.endsWith("/query")) changes.push(`${call.method} ${call.path}`);
		writeAnswer(response, await answerCall(api, call, choices).catch(describeFault));
	});
	await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
	const address = server.address();
	const port = typeof address === "object" && address !== null ? address.port : 0;
	const api: CloudflareApi = {
		...lists,
		changes,
		versions: [],
		deployments: [],
		codeUpdate: null,
		jurisdictions: new Map(),
		worker: "",
		classes: new Map(),
		containers: [],
		applications: [],
		switchedOff: new Set(),
		replicated: new Set(),
		secrets: null,
		values: new Map(),
		lifecycleRules: new Map(),
		assets: new Map(),
		isSplitterBroken: false,
		open(database) {
			const opened = contents.get(database) ?? choices.openDatabase?.(database) ?? new DatabaseSync(":memory:");
			contents.set(database, opened);
			return opened;
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

/** Returns a response that contains a fault of the rehearsal itself, which wrangler then shows. */
const describeFault = (error: unknown): Answer => ({ status: 400, code: 10_000, message: String(error) });

function writeAnswer(response: ServerResponse, answer: Answer): void {
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
		jurisdiction: request.headersDistinct["cf-r2-jurisdiction"]?.[0] ?? null,
		body: Buffer.concat(chunks).toString("utf8"),
	};
}

async function answerCall(api: CloudflareApi, call: Call, choices: ImitationChoices): Promise<Answer> {
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
	if (path.startsWith(SCRIPTS)) return answerScripts(api, call, choices);
	if (path.startsWith(CONTAINERS)) return answerContainers(api, call);
	if (path.startsWith(`${ACCOUNT}/workers/services/`)) return describeWorker(api);
	if (path === `${ACCOUNT}/workers/durable_objects/namespaces`) return listNamespaces(api);
	if (path.startsWith(`${ACCOUNT}/workers/workers/`)) {
		return { result: { id: "worker1", name: path.split("/").at(-1), subdomain: { enabled: false } } };
	}
	if (path.startsWith(`${ACCOUNT}/d1/database`)) return answerDatabases(api, call);
	if (path.startsWith(`${ACCOUNT}/r2/buckets`)) return answerBuckets(api, call);
	if (path === `${ACCOUNT}/analytics_engine/sql`) return answerDatasets(api);
	if (path.startsWith(`${ACCOUNT}/queues`)) return answerQueues(api, call);
	if (path.startsWith("/uploads/")) return takeUpload(call);
	return { status: 404, code: 7003, message: `The imitation does not know ${method} ${path}` };
}

function answerDatabases(api: CloudflareApi, { method, path, body }: Call): Answer {
	const [, name, action] = path.slice(`${ACCOUNT}/d1/database`.length).split("/");
	const view = (database: string) => ({
		uuid: database,
		name: database,
		version: "production",
		jurisdiction: api.jurisdictions.get(database) ?? null,
		read_replication: { mode: api.replicated.has(database) ? "auto" : "disabled" },
	});
	if (name !== undefined && action === "query") return queryDatabase(api, { name, body });
	if (name !== undefined && action === "import") return importFile(api, { name, body });
	if (name !== undefined && !api.databases.includes(name)) return absent(7404);
	if (name !== undefined) {
		if (method === "PUT" && replication.parse(JSON.parse(body)).read_replication.mode === "auto") api.replicated.add(name);
		return { result: view(name) };
	}
	if (method === "GET") return listing(api.databases.map(view));
	const created = named.extend({ jurisdiction: z.string().optional() }).parse(JSON.parse(body));
	api.databases.push(created.name);
	if (created.jurisdiction !== undefined) api.jurisdictions.set(created.name, created.jurisdiction);
	return { result: view(created.name) };
}

const replication = z.object({ read_replication: z.object({ mode: z.enum(["auto", "disabled"]) }) });

/** Runs all statements of the text as the server's splitter cuts them, or none. */
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

/** Imitates the endpoint for SQL files, whose splitter has no faults. */
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

function answerDatasets({ switchedOff }: CloudflareApi): Answer {
	if (switchedOff.has("analytics engine")) return { status: 403, code: 10_089, message: "workers.api.error.no_access_to_analytics_engine" };
	return { result: [] };
}

/** Handles requests about buckets. A bucket is not found if it is in another jurisdiction than the request's header names. */
function answerBuckets(api: CloudflareApi, { method, path, body, jurisdiction }: Call): Answer {
	const [, name, part] = path.slice(`${ACCOUNT}/r2/buckets`.length).split("/");
	const { lifecycleRules, switchedOff } = api;
	if (switchedOff.has("r2")) return { status: 403, code: 10_042, message: "Please enable R2 through the Cloudflare Dashboard." };
	const buckets = api.buckets.filter((bucket) => (api.jurisdictions.get(bucket) ?? "default") === (jurisdiction ?? "default"));
	if (name !== undefined && part === "lifecycle") {
		if (!buckets.includes(name)) return absent(10006);
		if (method === "PUT")
			lifecycleRules.set(name, z.object({ rules: z.array(z.looseObject({ id: z.string() })) }).parse(JSON.parse(body)).rules);
		return { result: { rules: lifecycleRules.get(name) ?? [] } };
	}
	if (name !== undefined) return buckets.includes(name) ? { result: { name } } : absent(10006);
	if (method === "POST") {
		const created = named.parse(JSON.parse(body)).name;
		api.buckets.push(created);
		if (jurisdiction !== null) api.jurisdictions.set(created, jurisdiction);
	}
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
