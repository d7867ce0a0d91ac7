// Tests uploads over real sockets: bodies with and without a length, and clients that leave in the middle.
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/server.ts";

const MB = 1_048_576;

let server: RunningServer;
let headers: Record<string, string>;

beforeAll(async () => {
	server = await startServer();
	const response = await fetch(`${server.url}/api/v1/agent/register-anonymous`, { method: "POST" });
	const { api_key } = (await response.json()) as { api_key: string };
	headers = { Authorization: `Bearer ${api_key}`, "Content-Type": "application/json" };
});

afterAll(() => server.close());

async function post(name: string, body: Readonly<Record<string, unknown>>) {
	const response = await fetch(`${server.url}/api/v1/workspace/files/${name}`, { method: "POST", headers, body: JSON.stringify(body) });
	return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function openUpload(path: string): Promise<URL> {
	const { body } = await post("upload-url", { path });
	return new URL(String(body["upload_url"]));
}

/** Writes a request by hand and closes the connection when half of its body has arrived. */
async function hangUp(url: URL, framing: string, half: Uint8Array): Promise<void> {
	const socket = connect(Number(url.port), url.hostname);
	socket.on("error", () => {});
	socket.write(`PUT ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\n${framing}\r\n\r\n`);
	await new Promise((sent) => socket.write(half, sent));
	await delay(200);
	socket.destroy();
	await delay(200);
}

it("the workspace stores nothing of an upload that is cut off, and accepts the next try", async () => {
	const half = new Uint8Array(200_000).fill(0x78);
	const chunk = new Uint8Array([...new TextEncoder().encode("30d40\r\n"), ...half, 13, 10]);
	for (const [path, framing, bytes] of [
		["announced", "Content-Length: 400000", half],
		["chunked", "Transfer-Encoding: chunked", chunk],
	] as const) {
		const url = await openUpload(path);
		await hangUp(url, framing, bytes);
		expect(await post("finalize", { path })).toMatchObject({ status: 404 });
		expect((await fetch(url, { method: "PUT", body: "whole" })).status).toBe(200);
		expect(await post("finalize", { path })).toMatchObject({ status: 201, body: { size_bytes: 5 } });
	}
});

it("the workspace accepts 25 MB with a length and in chunks, and returns them", async () => {
	const bytes = new Uint8Array(25 * MB);
	crypto.getRandomValues(bytes.subarray(0, 65_536));
	const chunks = () =>
		new ReadableStream({
			start(controller) {
				for (let at = 0; at < bytes.length; at += MB) controller.enqueue(bytes.subarray(at, at + MB));
				controller.close();
			},
		});
	for (const [path, body] of [
		["announced-25", bytes],
		["chunked-25", chunks()],
	] as const) {
		const response = await fetch(await openUpload(path), { method: "PUT", body, duplex: "half" } as RequestInit);
		expect({ status: response.status, body: await response.json() }).toMatchObject({ status: 200, body: { size_bytes: 25 * MB } });
		expect(await post("finalize", { path })).toMatchObject({ status: 201, body: { size_bytes: 25 * MB } });
		const stored = await fetch(`${server.url}/api/v1/workspace/files/${path}`, { headers });
		expect(Buffer.compare(Buffer.from(await stored.arrayBuffer()), Buffer.from(bytes))).toBe(0);
	}
});
