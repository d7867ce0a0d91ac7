// Sends jobs to a running grader, with submissions that a local server provides.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { zipSync } from "fflate";
import * as z from "zod";
import { OWNER_LABEL } from "../../grader/engine/engine.ts";
import type { FoundEngine } from "../../grader/engine/find.ts";
import { ownerOf } from "../../grader/leftovers.ts";
import { type GradingRequest, type GradingResult, gradingResult } from "../../src/ports/grading.ts";
import { runEngine, type StartedGrader } from "./container-engine.ts";

const POLL_MS = 50;
const encode = (text: string) => new TextEncoder().encode(text);

export interface FileServer {
	/** Serves a folder's files as a zip, and returns the zip's URL. */
	addArtifact(files: Readonly<Record<string, string>>): string;
	addText(text: string): string;
	addBytes(bytes: Uint8Array): string;
	/** The paths that were requested but do not exist. */
	readonly misses: readonly string[];
	readonly port: number;
	stop(): Promise<void>;
}

/** Listens on all of this machine's IP addresses, so that a container that reaches the machine is noticed. */
export async function serveFiles(): Promise<FileServer> {
	const files = new Map<string, Uint8Array>();
	const misses: string[] = [];
	const server = createServer((request, response) => {
		const body = files.get(request.url ?? "");
		if (body === undefined) misses.push(request.url ?? "");
		response.writeHead(body === undefined ? 404 : 200, { Connection: "close" }).end(body);
	});
	await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
	const { port } = server.address() as AddressInfo;
	const add = (content: Uint8Array) => {
		const path = `/${files.size}`;
		files.set(path, content);
		return `http://127.0.0.1:${port}${path}`;
	};
	return {
		addArtifact: (entries) => add(zipSync(Object.fromEntries(Object.entries(entries).map(([path, text]) => [path, encode(text)])))),
		addText: (text) => add(encode(text)),
		addBytes: add,
		misses,
		port,
		stop: () => new Promise((resolve) => server.close(() => resolve())),
	};
}

/**
 * Returns a line of shell that succeeds if a web server responds at this host and port. If that is our file server, {@link
 * FileServer.misses} then contains the request.
 */
export function reachLine(host: string, port: number): string {
	return `printf 'GET /reached-from-container HTTP/1.0\\r\\n\\r\\n' | busybox nc -w 2 ${host} ${port} > /dev/null`;
}

/** Returns an IP address of this machine that is not loopback. */
export function ownAddress(): string {
	const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
	return addresses.find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";
}

/** Returns a small job with one criterion, without a suite and without network access. */
export function gradingRequestOf(
	job: Pick<GradingRequest, "id" | "image" | "artifact_url">,
	change: Partial<GradingRequest> = {},
): GradingRequest {
	return {
		...job,
		image_digest: null,
		test_suite_url: null,
		task: { id: "task", criteria: [{ name: "Speed", description: null, weight: 100 }] },
		memory_mb: 512,
		timeout_s: 60,
		network: false,
		...change,
	};
}

const jobView = z.object({ id: z.string(), state: z.string(), progress: z.string(), result: gradingResult.nullable() });

export type JobView = z.output<typeof jobView>;

export interface GraderClient {
	call(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>;
	submit(request: GradingRequest): Promise<JobView>;
	look(id: string): Promise<JobView>;
	/** Polls until the job is done. */
	finish(id: string): Promise<GradingResult>;
}

export function clientOf({ url, token }: StartedGrader): GraderClient {
	const call = async (method: string, path: string, body?: unknown) => {
		const response = await fetch(`${url}${path}`, {
			method,
			headers: { Authorization: `Bearer ${token}`, Connection: "close" },
			...(body === undefined ? {} : { body: JSON.stringify(body) }),
		});
		return { status: response.status, body: await response.json() };
	};
	const look = async (id: string) => jobView.parse((await call("GET", `/jobs/${id}`)).body);
	return {
		call,
		look,
		submit: async (request) => jobView.parse((await call("POST", "/jobs", request)).body),
		async finish(id) {
			for (;;) {
				const { result } = await look(id);
				if (result !== null) return result;
				await new Promise((resolve) => setTimeout(resolve, POLL_MS));
			}
		},
	};
}

/**
 * Returns the remains of a job: containers, folders, and file systems that are still mounted.
 *
 * @param workFolder The real path of the grader's folder. A grader that was killed in another folder may have left a container of the same
 * job.
 */
export async function leftoversOf(engine: FoundEngine, workFolder: string, id: string): Promise<string[]> {
	const container = new RegExp(`(^|-)${id}-[A-Za-z0-9]{6}-`);
	// Containers see the folder's path, so it does not show the id.
	const folder = new RegExp(`(^|/)${createHash("sha256").update(id).digest("hex").slice(0, 16)}-[A-Za-z0-9]{6}($|[/ ])`);
	const own = `label=${OWNER_LABEL}=${ownerOf(workFolder)}`;
	const names = runEngine(engine, "ps", "--all", "--filter", own, "--format", "{{.Names}}").split("\n");
	const mounts = (await readFile("/proc/self/mounts", "utf8").catch(() => "")).split("\n");
	return [
		...names.filter((name) => container.test(name)).map((name) => `container ${name}`),
		...(await readdir(workFolder)).filter((name) => folder.test(name)).map((name) => `folder ${name}`),
		...mounts.filter((line) => line.includes(workFolder) && folder.test(line)).map((line) => `mount ${line}`),
	];
}
