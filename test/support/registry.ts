// Provides an in-memory registry for images on this machine. An engine pushes to it and pulls from it, and a test makes it fail.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { serveLocally } from "./local-server.ts";

interface StoredBlob {
	readonly bytes: Buffer;
	readonly type: string;
}

export interface TestRegistry {
	/** The name is `host:port`. */
	readonly name: string;
	/** Responds with a status to every request from now on, or works again after null. */
	failWith(status: number | null): void;
	/** Returns the registry's digest of a tag. */
	digestOf(repository: string, tag: string): string;
	/** Adds an index of images for other machines to a repository, under a tag. */
	addForeignImage(repository: string, tag: string): void;
	/** Deletes every image. */
	clear(): void;
	/** Closes the port, so that connections are refused. */
	stop(): Promise<void>;
}

const digest = (bytes: Buffer) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`;

export async function startRegistry(): Promise<TestRegistry> {
	const blobs = new Map<string, StoredBlob>();
	/** The keys are repository and tag or digest. */
	const manifests = new Map<string, StoredBlob>();
	let failure: number | null = null;
	const { url: origin, stop } = await serveLocally(route);

	async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", "http://registry");
		const body = await buffer(request);
		const [, repository = "", kind = "", reference = ""] = /^\/v2\/(.+)\/(manifests|blobs)\/(.*)$/.exec(url.pathname) ?? [];
		if (failure !== null) refuse(response, failure, "DENIED");
		else if (url.pathname === "/v2/") send(response, 200);
		else if (kind === "manifests") serveManifest(request, response, { key: `${repository}:${reference}`, repository, body });
		else if (request.method === "GET" || request.method === "HEAD") serve(request, response, blobs.get(reference));
		else upload(request, response, { url, body });
	}

	function serveManifest(
		request: IncomingMessage,
		response: ServerResponse,
		{ key, repository, body }: { key: string; repository: string; body: Buffer },
	): void {
		if (request.method !== "PUT") {
			serve(request, response, manifests.get(key));
			return;
		}
		const stored = { bytes: body, type: request.headers["content-type"] ?? "application/json" };
		manifests.set(key, stored);
		manifests.set(`${repository}:${digest(body)}`, stored);
		send(response, 201, { "Docker-Content-Digest": digest(body), Location: request.url ?? "" });
	}

	/** Handles an upload in parts, which is started, extended, and ended with the digest of the whole. */
	function upload(request: IncomingMessage, response: ServerResponse, { url, body }: { url: URL; body: Buffer }): void {
		const { pathname } = url;
		const before = blobs.get(pathname)?.bytes ?? Buffer.alloc(0);
		const location = request.method === "POST" ? `${pathname}${crypto.randomUUID()}` : pathname;
		const bytes = Buffer.concat([before, body]);
		blobs.set(location, { bytes, type: "" });
		if (request.method !== "PUT") {
			send(response, 202, { Location: location, Range: `0-${Math.max(0, bytes.length - 1)}` });
			return;
		}
		blobs.delete(location);
		blobs.set(digest(bytes), { bytes, type: "application/octet-stream" });
		send(response, 201, { Location: location, "Docker-Content-Digest": digest(bytes) });
	}

	return {
		name: new URL(origin).host,
		failWith(status) {
			failure = status;
		},
		digestOf(repository, tag) {
			const stored = manifests.get(`${repository}:${tag}`);
			if (stored === undefined) throw new Error(`There is no ${repository}:${tag}.`);
			return digest(stored.bytes);
		},
		addForeignImage(repository, tag) {
			const type = "application/vnd.oci.image.index.v1+json";
			const platform = { architecture: "s390x", os: "linux" };
			const manifest = { mediaType: "application/vnd.oci.image.manifest.v1+json", size: 2, digest: digest(Buffer.from("{}")), platform };
			const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: type, manifests: [manifest] }));
			manifests.set(`${repository}:${tag}`, { bytes, type });
			manifests.set(`${repository}:${digest(bytes)}`, { bytes, type });
		},
		clear() {
			blobs.clear();
			manifests.clear();
		},
		stop,
	};
}

function serve({ method }: IncomingMessage, response: ServerResponse, stored: StoredBlob | undefined): void {
	if (stored === undefined) {
		refuse(response, 404, "MANIFEST_UNKNOWN");
		return;
	}
	const { bytes, type } = stored;
	response.writeHead(200, { "Content-Type": type, "Content-Length": bytes.length, "Docker-Content-Digest": digest(bytes) });
	response.end(method === "HEAD" ? undefined : bytes);
}

function refuse(response: ServerResponse, status: number, code: string): void {
	response.writeHead(status, { "Content-Type": "application/json" });
	response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replace("_", " ") }] }));
}

function send(response: ServerResponse, status: number, headers: Readonly<Record<string, string>> = {}): void {
	response.writeHead(status, { "Content-Length": 0, ...headers }).end();
}
