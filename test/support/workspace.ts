// Provides the steps of workspace tests: storing and reading over HTTP, and reading an agent's object.
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import type { Workspace } from "../../src/durable-objects/workspace.ts";
import { type CallInput, type Client, randomAddress } from "./client.ts";
import type { RegisteredClient } from "./scenario.ts";
import { listBucket } from "./storage.ts";

export const MB = 1_048_576;

export const putValue = (agent: Client, key: string, value: unknown, headers: Readonly<Record<string, string>> = {}) =>
	agent.send("putWorkspaceEntry", { params: { key }, body: { value }, headers });

export const getValue = (agent: Client, key: string, headers: Readonly<Record<string, string>> = {}) =>
	agent.send("getWorkspaceEntry", { params: { key }, headers });

/** Returns the input of a call that stores a small file as raw bytes. */
export function rawFile(path: string, bytes: BodyInit, contentType = "application/octet-stream"): CallInput {
	return { rawBody: bytes, headers: { "X-Workspace-Path": path, "Content-Type": contentType } };
}

export function base64File(path: string, text: string | Uint8Array, contentType?: string): CallInput {
	const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
	return { body: { path, content_base64: bytes.toBase64(), ...(contentType === undefined ? {} : { content_type: contentType }) } };
}

/** Returns the text of a response of any content type. */
export async function textOf(response: Response): Promise<string> {
	return new TextDecoder().decode(await response.arrayBuffer());
}

export async function readText(agent: Client, path: string): Promise<string> {
	return textOf(await agent.send("readWorkspaceFile", { params: { path } }));
}

/** Sends bytes to an upload URL as a caller without a key. */
export function putTo(url: string, body: BodyInit | null, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	return exports.default.fetch(new Request(url, { method: "PUT", body, headers: { "CF-Connecting-IP": randomAddress(), ...headers } }));
}

/** Requests an upload URL, sends the bytes, and returns the upload, which is not yet finalized. */
export async function upload(agent: Client, path: string, body: BodyInit, contentType?: string) {
	const opened = await agent.call("createWorkspaceUploadUrl", {
		body: { path, ...(contentType === undefined ? {} : { content_type: contentType }) },
	});
	const response = await putTo(opened.upload_url, body);
	if (response.status !== 200) throw new Error(`The upload was refused: ${await response.text()}`);
	await response.body?.cancel();
	return opened;
}

export function finalize(agent: Client, path: string, more: Readonly<Record<string, unknown>> = {}) {
	return agent.send("finalizeWorkspaceUpload", { body: { path, ...more } });
}

export function workspaceOf({ agentId }: RegisteredClient): DurableObjectStub<Workspace> {
	return env.WORKSPACE.getByName(agentId);
}

/** Returns the keys of an agent's objects in R2. */
export function blobsOf({ agentId }: RegisteredClient): Promise<string[]> {
	return listBucket(`workspace/${agentId}/`);
}

/** Returns the blobs of an agent's files, according to its object. */
export function indexedBlobs(agent: RegisteredClient): Promise<string[]> {
	return runInDurableObject(workspaceOf(agent), (_, state) =>
		[...state.storage.sql.exec<{ blob_key: string }>("select blob_key from files order by blob_key")].map((row) => row.blob_key),
	);
}

/** Runs the object's alarm once. */
export async function collectGarbage(agent: RegisteredClient): Promise<void> {
	await runDurableObjectAlarm(workspaceOf(agent));
}

/** Stores entries without a request for each. */
export async function seedEntries(agent: RegisteredClient, keys: readonly string[], value = "1"): Promise<void> {
	await runInDurableObject(workspaceOf(agent), async (workspace: Workspace) => {
		const condition = { ifMatch: null, ifNoneMatch: null };
		for (const key of keys) await workspace.putEntry({ key, value, sizeBytes: value.length, condition });
	});
}

/** Inserts files into the index without their bytes. */
export async function seedFiles(agent: RegisteredClient, files: readonly { path: string; sizeBytes: number }[]): Promise<void> {
	await runInDurableObject(workspaceOf(agent), async (workspace: Workspace) => {
		for (const { path, sizeBytes } of files) {
			const blobKey = `workspace/${agent.agentId}/seeded-${path}`;
			await workspace.reserveBlob({ path, sizeBytes, blobKey });
			await workspace.commitFile({ path, sizeBytes, blobKey, contentType: "text/plain" });
		}
	});
}

export function numberedPaths(count: number, prefix = "n"): string[] {
	return Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(5, "0")}`);
}
