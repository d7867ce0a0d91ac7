import { setTimeout as delay } from "node:timers/promises";
import { styleText } from "node:util";
import { z } from "zod";
import { registerAnonymous } from "../../src/features/identity/agents/register-anonymous.ts";
import type { EndpointContract } from "../../src/http/endpoint.ts";
import { CommandError } from "../support/command.ts";
import { followTask } from "./public-stream.ts";
import type { CallInput, Player, Stage } from "./scene.ts";

const POLL_MS = 1_000;
const WAIT_LIMIT_MS = 180_000;
const REQUEST_TIMEOUT_MS = 30_000;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 80;

const refusal = z.object({ error: z.object({ message: z.string(), code: z.string() }) });

/** Makes the demo's stage on the platform at `url`, with players that call it, and a terminal that shows what happens. */
export function createStage(url: string, signal: AbortSignal): Stage {
	const api = { url, signal };
	return {
		isLocal: ["127.0.0.1", "localhost", "[::1]"].includes(new URL(url).hostname),
		upload: (address, bytes) => upload(address, bytes, signal),
		async enter(displayName) {
			const { api_key } = await callApi({ api, key: null }, registerAnonymous, { body: { display_name: displayName } });
			return {
				name: displayName,
				key: api_key,
				call: (contract, input = {}) => callApi({ api, key: api_key }, contract, input),
			} satisfies Player;
		},
		title: (text) => print(`\n${styleText("bold", text)}`),
		say: (text) => print(text === "" ? "" : `  ${text}`),
		table: (rows) => print(formatTable(rows)),
		waitFor: (what, poll) => waitFor(api, what, poll),
		pause: (ms) => pause(ms, signal),
		follow: (taskId, onBoard) => followTask(`${url}/api/public/tasks/${taskId}/stream`, onBoard),
	};
}

/** Prints a line. A spinner that turns gives up its line. */
function print(text: string): void {
	console.log(process.stdout.isTTY ? `\r\u001b[K${text}` : text);
}

interface Api {
	readonly url: string;
	readonly signal: AbortSignal;
}

interface Caller {
	readonly api: Api;
	/** It is null for calls without authentication. */
	readonly key: string | null;
}

async function callApi<C extends EndpointContract>(
	{ api, key }: Caller,
	contract: C,
	input: CallInput<C>,
): Promise<z.output<C["response"]["schema"]>> {
	const path = fillPath(contract.path, input.params) + queryOf(input.query);
	for (;;) {
		const response = await request(api, key, { method: contract.method, path, body: input.body });
		const text = await response.text();
		if (response.status === 429) {
			await waitForAllowance(api, response);
			continue;
		}
		if (!response.ok) throw new CommandError(describeRefusal({ contract, path, status: response.status, text }));
		const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
		const parsed = contract.response.schema.safeParse(isJson ? JSON.parse(text) : text);
		if (parsed.success) return readAs<C>(parsed.data);
		throw new CommandError(`${api.url}${path} sent a response that this checkout does not understand:\n${z.prettifyError(parsed.error)}`);
	}
}

async function upload(address: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
	const response = await fetch(address, {
		method: "PUT",
		headers: { "Content-Type": "application/zip" },
		body: new Blob([new Uint8Array(bytes)]),
		signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
	});
	if (!response.ok) throw new CommandError(`The upload returned ${response.status}: ${(await response.text()).slice(0, 500)}`);
	await response.body?.cancel();
}

/** Returns the value in its type. The contract's schema has just parsed it, but TypeScript cannot follow that through the generic. */
function readAs<C extends EndpointContract>(value: unknown): z.output<C["response"]["schema"]> {
	return value as z.output<C["response"]["schema"]>;
}

function fillPath(template: string, params: unknown): string {
	const values = z.record(z.string(), z.string()).parse(params ?? {});
	return template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
}

function queryOf(query: unknown): string {
	const values = z.record(z.string(), z.string()).parse(query ?? {});
	return Object.keys(values).length === 0 ? "" : `?${new URLSearchParams(values)}`;
}

async function request(
	{ url, signal }: Api,
	key: string | null,
	{ method, path, body }: { method: string; path: string; body: unknown },
): Promise<Response> {
	try {
		return await fetch(`${url}${path}`, {
			method: method.toUpperCase(),
			headers: {
				...(key === null ? {} : { Authorization: `Bearer ${key}` }),
				...(body === undefined ? {} : { "Content-Type": "application/json" }),
			},
			body: body === undefined ? null : JSON.stringify(body),
			signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
		});
	} catch (error) {
		if (signal.aborted) throw new CommandError("Stopped.");
		const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
		throw new CommandError(`${url} did not respond: ${cause}`);
	}
}

function describeRefusal({
	contract,
	path,
	status,
	text,
}: {
	contract: EndpointContract;
	path: string;
	status: number;
	text: string;
}): string {
	const call = `${contract.method.toUpperCase()} ${path}`;
	try {
		const { error } = refusal.parse(JSON.parse(text));
		return `${call} was rejected with ${status} ${error.code}: ${error.message}`;
	} catch {
		return `${call} returned ${status}: ${text.slice(0, 500)}`;
	}
}

/** Rate limits count per IP address, and all players share one. */
async function waitForAllowance({ signal }: Api, response: Response): Promise<void> {
	const seconds = Number(response.headers.get("Retry-After") ?? "60");
	console.log(`  This IP address has used its requests for this minute. Continuing in ${seconds} seconds.`);
	await pause(seconds * 1_000, signal);
}

async function waitFor<T>({ signal }: Api, what: string, poll: () => Promise<T | null>): Promise<T> {
	const giveUpAt = performance.now() + WAIT_LIMIT_MS;
	const indicator = showProgress(what);
	try {
		while (performance.now() < giveUpAt) {
			const found = await poll();
			if (found !== null) return found;
			await pause(POLL_MS, signal);
		}
		throw new CommandError(`${what}: no result after ${WAIT_LIMIT_MS / 60_000} minutes. The server's log may say why.`);
	} finally {
		indicator.stop();
	}
}

/** Shows a spinner on a terminal, and a line elsewhere. */
function showProgress(what: string): { stop(): void } {
	if (!process.stdout.isTTY) {
		console.log(`  ${what} …`);
		return { stop: () => undefined };
	}
	const startedAt = performance.now();
	let frame = 0;
	const timer = setInterval(() => {
		frame += 1;
		const seconds = Math.floor((performance.now() - startedAt) / 1_000);
		process.stdout.write(`\r  ${SPINNER[frame % SPINNER.length]} ${what} … ${seconds} s`);
	}, SPIN_MS);
	return {
		stop: () => {
			clearInterval(timer);
			process.stdout.write("\r\u001b[K");
		},
	};
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
	try {
		await delay(ms, undefined, { signal });
	} catch {
		throw new CommandError("Stopped.");
	}
}

function formatTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
	const columns = Object.keys(rows[0] ?? {}).map((name) => ({
		name,
		width: Math.max(name.length, ...rows.map((row) => String(row[name] ?? "").length)),
		isNumeric: rows.every((row) => typeof row[name] === "number"),
	}));
	const line = (cell: (name: string) => string) =>
		`  ${columns.map(({ name, width, isNumeric }) => (isNumeric ? cell(name).padStart(width) : cell(name).padEnd(width))).join("   ")}`.trimEnd();
	const rule = `  ${columns.map(({ width }) => "─".repeat(width)).join("───")}`;
	return [line((name) => name), rule, ...rows.map((row) => line((name) => String(row[name] ?? "")))].join("\n");
}
