// Provides the official client library of the Model Context Protocol, connected to a platform over HTTP or over `bounty mcp`.
import { Client, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach } from "vitest";
import { z } from "zod";
import { CLI_MAIN } from "./cli-package.ts";
import { randomAddress } from "./http.ts";

type Mode = "legacy" | "auto";
export const REVISIONS: readonly (readonly [revision: string, mode: Mode])[] = [
	["2025-11-25", "legacy"],
	["2026-07-28", "auto"],
];
export const DOORS = ["HTTP", "bounty mcp"] as const;

interface Connection {
	readonly door: (typeof DOORS)[number];
	readonly mode: Mode;
	readonly key?: string | null;
	/** The built command line that runs `bounty mcp`. */
	readonly main?: string;
}

const connected: Client[] = [];
afterEach(async () => {
	await Promise.all(connected.splice(0).map((client) => client.close()));
});

/** Connects a client, which closes after the test. */
export async function connectMcp(
	{ url }: { readonly url: string },
	{ door, mode, key = null, main = CLI_MAIN }: Connection,
): Promise<Client> {
	const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
	connected.push(client);
	await client.connect(door === "HTTP" ? overHttp(url, key) : overStdio(url, { key, main }));
	return client;
}

function overHttp(url: string, key: string | null): Transport {
	const headers = { "CF-Connecting-IP": randomAddress(), ...(key === null ? {} : { Authorization: `Bearer ${key}` }) };
	return new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } });
}

function overStdio(url: string, { key, main }: { key: string | null; main: string }): Transport {
	const env = { XDG_CONFIG_HOME: "/nonexistent", BOUNTY_URL: url, ...(key === null ? {} : { BOUNTY_API_KEY: key }) };
	return new StdioClientTransport({ command: process.execPath, args: [main, "mcp"], env });
}

/** Returns the structured content of a call. The client compares it with the tool's output schema. */
export async function callTool(client: Client, name: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
	const { isError, structuredContent, content } = await client.callTool({ name, arguments: args });
	if (isError === true) throw new Error(`${name}: ${JSON.stringify(content)}`);
	return z.record(z.string(), z.unknown()).parse(structuredContent);
}

export function textOf(result: Record<string, unknown>, field: string): string {
	return z.string().parse(result[field]);
}
