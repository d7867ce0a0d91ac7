// Checks that an isolate can hold the largest bodies, one and several in parallel: `npm run bench -- memory [at once] [part of a name]`,
// eight by default. All requests share 128 MB. Garbage does not count, because the production runtime collects it when it approaches
// that limit.
import { once } from "node:events";
import { request } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { zipSync } from "fflate";
import { z } from "zod";
import { findFreePort, type Platform, startPlatform } from "../../scripts/support/platform.ts";
import { type Home, makeHome } from "../support/commands.ts";
import { type HttpCaller, openTask, randomAddress, registerCaller, until } from "../support/http.ts";
import { openInspector, watchMemory } from "../support/inspector.ts";

const MB = 1_048_576;
const DEFAULT_AT_ONCE = 8;
const ISOLATE_MB = 128;
const ZIP_ENTRIES = 4_999;
/** A check stores nothing, so it must hold its zip. The platform refuses the third while two have no response. */
const MAX_ZIP_CHECKS = 4;
const EXPORTED = 500;
const SUBMISSIONS_PER_AGENT = 10;
const POLL_MS = 1_000;

interface Sent {
	readonly status: number;
	readonly text: string;
}

interface Body {
	readonly bytes: number;
	chunks(): Iterable<Uint8Array>;
}

/** Returns a body that is generated while it is sent. */
function zerosOf(bytes: number): Body {
	const block = new Uint8Array(MB);
	return {
		bytes,
		*chunks() {
			for (let left = bytes; left > 0; left -= MB) yield block.subarray(0, Math.min(MB, left));
		},
	};
}

function bodyOf(bytes: Uint8Array): Body {
	return { bytes: bytes.byteLength, chunks: () => [bytes] };
}

interface Call {
	readonly method: "GET" | "POST" | "PUT";
	readonly headers?: Readonly<Record<string, string>>;
	readonly body?: Body;
}

/** Sends a body of announced length, and reads the response but keeps only its beginning. */
async function send(url: string, { method, headers = {}, body = zerosOf(0) }: Call): Promise<Sent> {
	const announced = method === "GET" ? {} : { "Content-Length": body.bytes };
	const call = request(url, { method, agent: false, headers: { "CF-Connecting-IP": randomAddress(), ...announced, ...headers } });
	// A request that is rejected early stops reading; its response says why.
	const sending = pipeline(Readable.from(body.chunks(), { objectMode: false }), call).catch(() => undefined);
	const [response] = await once(call, "response");
	let text = "";
	for await (const chunk of response) if (text.length < MB) text += String(chunk);
	await sending;
	return { status: response.statusCode, text };
}

interface World {
	readonly url: string;
	readonly poster: HttpCaller;
	readonly taskId: string;
}

type Step = () => Promise<Sent>;

interface Case {
	readonly name: string;
	/** This limits how many requests are sent in parallel. */
	readonly atMost?: number;
	/** Prepares one request, which is sent later, in parallel with others. */
	prepare(): Promise<Step>;
}

const keyOf = ({ key }: HttpCaller) => ({ Authorization: `Bearer ${key}` });
const jsonOf = (value: unknown) => bodyOf(Buffer.from(JSON.stringify(value)));
const registered = z.object({ id: z.string(), upload_url: z.string() });

async function register({ url, taskId }: World) {
	const agent = await registerCaller({ url });
	return { agent, ...registered.parse(await agent.call("POST", `/api/v1/tasks/${taskId}/submissions`)) };
}

const BOUNDARY = "----boundary-of-the-benchmark";
const FORM = { "Content-Type": `multipart/form-data; boundary=${BOUNDARY}` };

/** Returns a form with a file of this many zeros, or of letters if the name promises text. */
function formOf(name: string, bytes: number): Body {
	const head = Buffer.from(
		`--${BOUNDARY}\r\nContent-Disposition: form-data; name="field"\r\n\r\ndescription\r\n--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
	);
	const tail = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);
	const block = new Uint8Array(MB).fill(name.endsWith(".txt") ? 97 : 0);
	return {
		bytes: head.byteLength + bytes + tail.byteLength,
		*chunks() {
			yield head;
			for (let left = bytes; left > 0; left -= MB) yield block.subarray(0, Math.min(MB, left));
			yield tail;
		},
	};
}

/** Returns a zip with the maximum number of files and the maximum size. */
function largestZip(): Body {
	const text = Buffer.from("const parser = split(quotes, delimiter, newline);\n".repeat(200));
	const files = Object.fromEntries(Array.from({ length: ZIP_ENTRIES }, (_, index) => [`src/file-${index}.js`, text]));
	return bodyOf(zipSync({ "SUBMISSION.md": Buffer.from("# What I Built\nA parser.\n"), ...files }, { level: 0 }));
}

/** Returns the zip with the longest list of files, 2 MB, which needs more memory than most content. */
function longestList(): Body {
	const names = Array.from(
		{ length: ZIP_ENTRIES },
		(_, index) => [`${"a-long-name/".repeat(12)}${index}.js`, new Uint8Array([10])] as const,
	);
	return bodyOf(zipSync({ "SUBMISSION.md": Buffer.from("# What I Built\nA parser.\n"), ...Object.fromEntries(names) }, { level: 0 }));
}

/**
 * Returns nearly 8 MB of JSON with the maximum number of files. Every text has a character that takes two bytes in memory, so all its
 * characters do.
 */
function largestQuickSubmit(): Body {
	const text = `${"a".repeat(2_500)}\u{1F600}`;
	const base64 = Buffer.alloc(2_600, 97).toString("base64");
	const content = (index: number) => (index % 2 === 0 ? text : { content: base64, encoding: "base64" });
	const names = Array.from({ length: 2_000 }, (_, index) => `${"a-long-name/".repeat(41)}${index}.js`);
	return jsonOf({ files: Object.fromEntries(names.map((name, index) => [name, content(index)])) });
}

/** Returns one file of 5 MB, as text whose characters each take two bytes in memory. */
function largestText(): Body {
	return jsonOf({ files: { "work.txt": `${"a".repeat(5 * MB - 4)}\u{1F600}` } });
}

const evaluation = z.object({ status: z.string() });
const identified = z.object({ id: z.string() });

async function uploadAndComplete(world: World, zip: Body): Promise<Step> {
	const { agent, id, upload_url } = await register(world);
	const { status, text } = await send(upload_url, { method: "PUT", headers: { "Content-Type": "application/zip" }, body: zip });
	if (status !== 200) throw new Error(`Uploading the zip: ${status} ${text}`);
	return async () => {
		const completed = await send(`${world.url}/api/v1/submissions/${id}/complete`, { method: "POST", headers: keyOf(agent) });
		while (evaluation.parse(await agent.call("GET", `/api/v1/submissions/${id}`)).status === "running") await delay(POLL_MS);
		return completed;
	};
}

/** Returns a task with many judged submissions of several agents. */
async function fillExport({ url, poster }: World): Promise<string> {
	const criteria = Array.from({ length: 20 }, (_, index) => ({ name: `Criterion ${index}`, description: "quotes, newline", weight: 5 }));
	const taskId = await openTask(poster, { criteria });
	const files = { "work.txt": "quotes and newline\n".repeat(100) };
	const ids: string[] = [];
	for (let made = 0; made < EXPORTED; made += SUBMISSIONS_PER_AGENT) {
		const agent = await registerCaller({ url });
		for (let sent = 0; sent < SUBMISSIONS_PER_AGENT; sent += 1)
			ids.push(identified.parse(await agent.call("POST", `/api/v1/tasks/${taskId}/quick-submit`, { files })).id);
	}
	const isJudged = async (id: string) => evaluation.parse(await poster.call("GET", `/api/v1/submissions/${id}`)).status === "completed";
	for (const id of ids) await until(() => isJudged(id), "the score", 60_000);
	return taskId;
}

async function prepareCases(world: World): Promise<Case[]> {
	const { url, poster, taskId } = world;
	const [zip, list, checkedZip] = [
		largestZip(),
		longestList(),
		bodyOf(zipSync({ "large.bin": Buffer.alloc(20 * MB - 1_000) }, { level: 0 })),
	];
	const exported = await fillExport(world);
	const quick = { "2,000 files": largestQuickSubmit(), "one text of 5 MB": largestText() };
	const direct = jsonOf({ path: "large.bin", content_base64: Buffer.alloc(4 * MB, 97).toString("base64") });
	const json = { "Content-Type": "application/json" };
	const api = `${url}/api/v1`;
	return [
		{
			name: "100 MB to a signed URL",
			async prepare() {
				const { upload_url } = await register(world);
				return () => send(upload_url, { method: "PUT", headers: { "Content-Type": "application/zip" }, body: zerosOf(100 * MB) });
			},
		},
		{
			name: "100 MB as a form",
			async prepare() {
				const { agent, id } = await register(world);
				const headers = { ...keyOf(agent), ...FORM };
				return () => send(`${api}/submissions/${id}/upload`, { method: "POST", headers, body: formOf("work.zip", 100 * MB) });
			},
		},
		{
			name: `complete, and judge ${ZIP_ENTRIES} files, 100 MB`,
			prepare: () => uploadAndComplete(world, zip),
		},
		{
			name: `complete, and judge ${ZIP_ENTRIES} long names`,
			prepare: () => uploadAndComplete(world, list),
		},
		{
			name: "one file of 10 MB of a submission",
			async prepare() {
				const { agent, id, upload_url } = await register(world);
				await send(upload_url, { method: "PUT", body: bodyOf(zipSync({ "large.bin": Buffer.alloc(10 * MB, 97) }, { level: 0 })) });
				return () => send(`${api}/submissions/${id}/files/large.bin`, { method: "GET", headers: keyOf(agent) });
			},
		},
		...Object.entries(quick).map(([name, body]) => ({
			name: `quick-submit of ${name}, ${(body.bytes / MB).toFixed(1)} MB`,
			async prepare() {
				const headers = { ...keyOf(await registerCaller({ url })), ...json };
				return () => send(`${api}/tasks/${taskId}/quick-submit`, { method: "POST", headers, body });
			},
		})),
		{
			name: "check of a zip of 20 MB",
			atMost: MAX_ZIP_CHECKS,
			async prepare() {
				const headers = { ...keyOf(await registerCaller({ url })), "Content-Type": "application/zip" };
				return () => send(`${api}/tasks/${taskId}/check`, { method: "POST", headers, body: checkedZip });
			},
		},
		{
			name: "workspace file of 25 MB",
			async prepare() {
				const agent = await registerCaller({ url });
				const { upload_url } = z
					.object({ upload_url: z.string() })
					.parse(await agent.call("POST", "/api/v1/workspace/files/upload-url", { path: "large.bin" }));
				return () => send(upload_url, { method: "PUT", body: zerosOf(25 * MB) });
			},
		},
		{
			name: "workspace file of 4 MB in base64",
			async prepare() {
				const headers = { ...keyOf(await registerCaller({ url })), ...json };
				return () => send(`${api}/workspace/files`, { method: "POST", headers, body: direct });
			},
		},
		{
			name: "attachment of 10 MB",
			async prepare() {
				// One key may send only two large bodies at once.
				const owner = await registerCaller({ url });
				const { id } = identified.parse(
					await owner.call("POST", "/api/v1/tasks", {
						title: "Parse CSV files",
						budget_cents: 50_000,
						deadline: new Date(Date.now() + 48 * 3_600_000).toISOString(),
						criteria: [{ name: "Parser", weight: 100 }],
					}),
				);
				const headers = { ...keyOf(owner), ...FORM };
				return () => send(`${url}/api/tasks/${id}/attachments`, { method: "POST", headers, body: formOf("notes.txt", 10 * MB) });
			},
		},
		{
			name: `export of ${EXPORTED} submissions`,
			prepare: async () => () => send(`${api}/tasks/${exported}/export?format=jsonl`, { method: "GET", headers: keyOf(poster) }),
		},
	];
}

async function startPlatformIn(home: Home, inspectorPort: number): Promise<Platform> {
	const place = { host: "127.0.0.1", port: home.port, stateDir: home.stateDir };
	return startPlatform(place, { show: () => undefined, vars: { JUDGE_CHECK: "false" }, inspectorPort });
}

export async function run([wanted, part = ""]: readonly string[]): Promise<void> {
	const atOnce = Number(wanted ?? DEFAULT_AT_ONCE);
	const [home, inspectorPort] = [await makeHome(), await findFreePort()];
	const platform = await startPlatformIn(home, inspectorPort);
	const inspector = await openInspector(inspectorPort);
	try {
		const poster = await registerCaller(platform);
		const world = { url: platform.url, poster, taskId: await openTask(poster) };
		const idleMb = await inspector.readUsedMb();
		console.log(`At rest the isolate holds ${idleMb.toFixed(0)} MB of objects and buffers.`);
		console.log(rowOf(["largest body", "at once", "refused", "held, MB", "with garbage"]));
		let most = idleMb;
		for (const { name, prepare, atMost = atOnce } of (await prepareCases(world)).filter((body) => body.name.includes(part))) {
			for (const times of [1, Math.min(atOnce, atMost)]) {
				const steps: Step[] = [];
				for (let index = 0; index < times; index += 1) steps.push(await prepare());
				const { result: sent, liveMb, withGarbageMb } = await watchMemory(inspector, () => Promise.all(steps.map((step) => step())));
				// An isolate that holds enough refuses further large bodies with 503, which is its defence.
				const refused = sent.filter(({ status }) => status === 503).length;
				const fault = sent.find(({ status }) => status >= 300 && (status !== 503 || refused === times));
				if (fault !== undefined) throw new Error(`${name}: ${fault.status} ${fault.text}`);
				console.log(rowOf([name, times, refused, liveMb.toFixed(0), withGarbageMb.toFixed(0)]));
				most = Math.max(most, liveMb);
			}
		}
		const isWithin = most <= ISOLATE_MB;
		console.log(`Budget: an isolate holds at most ${most.toFixed(0)} MB (at most ${ISOLATE_MB}; ${isWithin ? "within" : "over"}).`);
		if (!isWithin) process.exitCode = 1;
	} finally {
		inspector.close();
		await platform.stop();
		await home.remove();
	}
}

function rowOf([name = "", ...values]: readonly (string | number)[]): string {
	return String(name).padEnd(44) + values.map((value) => String(value).padStart(14)).join("");
}
