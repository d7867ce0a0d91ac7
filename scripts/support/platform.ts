// Runs the platform on this machine: wrangler's local runtime with its state in one folder.
import type { ChildProcess } from "node:child_process";
import { request } from "node:http";
import { createServer } from "node:net";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CommandError } from "./command.ts";
import { migrateLocally } from "./local-database.ts";
import { createRuntimeLog } from "./runtime-log.ts";
import { PROJECT_ROOT, spawnWrangler } from "./wrangler.ts";

export const DEFAULT_PORT = 8787;
/** Plain `wrangler dev` also stores its state here, so that both see the same data. */
export const DEFAULT_STATE_DIR = ".wrangler/state";
const READY_TIMEOUT_MS = 120_000;
const READY_POLL_MS = 250;
/** How many error responses end a start, because a Worker that responds with errors does not recover by itself. */
const MAX_REFUSALS = 8;
const CRON_INTERVAL_MS = 60_000;
const STOP_TIMEOUT_MS = 5_000;
const GROUP_END_TIMEOUT_MS = 1_000;
const GROUP_POLL_MS = 50;
/** A request to this path fires the cron triggers, because the local runtime does not fire them by itself. */
const CRON_PATH = "/cdn-cgi/local/scheduled?cron=*+*+*+*+*";

export interface PlatformPlace {
	readonly host: string;
	readonly port: number;
	readonly stateDir: string;
}

export interface Platform {
	readonly url: string;
	/** Resolves when the runtime has ended, for any reason. */
	readonly ended: Promise<{ readonly code: number | null }>;
	/** Ends the runtime and everything it started. */
	stop(): Promise<void>;
}

/** Reads HOST, PORT and STATE_DIR. A relative STATE_DIR is relative to the project's folder. */
export function readPlace(env: NodeJS.ProcessEnv = process.env): PlatformPlace {
	const port = env["PORT"] === undefined || env["PORT"] === "" ? DEFAULT_PORT : Number(env["PORT"]);
	if (!Number.isInteger(port) || port < 1 || port > 65_535) {
		throw new CommandError(`PORT must be a number from 1 to 65535, not ${JSON.stringify(env["PORT"])}.`);
	}
	return { host: env["HOST"] || "127.0.0.1", port, stateDir: resolve(PROJECT_ROOT, env["STATE_DIR"] || DEFAULT_STATE_DIR) };
}

/** Returns the URL at which this machine reaches a server that listens on `host`. */
export function urlOf({ host, port }: Pick<PlatformPlace, "host" | "port">): string {
	const reachable = host === "0.0.0.0" || host === "::" || host === "*" ? "127.0.0.1" : host;
	return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

export async function findFreePort(): Promise<number> {
	return new Promise((found, failed) => {
		const server = createServer().once("error", failed);
		server.listen(0, "127.0.0.1", () => {
			const address = server.address();
			server.close(() => found(typeof address === "object" && address !== null ? address.port : 0));
		});
	});
}

async function assertPortFree({ host, port }: PlatformPlace): Promise<void> {
	await new Promise<void>((free, failed) => {
		const server = createServer().once("error", failed);
		server.listen(port, host === "*" ? undefined : host, () => server.close(() => free()));
	}).catch((error: NodeJS.ErrnoException) => {
		if (error.code === "EADDRINUSE") {
			throw new CommandError(
				`Port ${port} is in use. Stop what listens there, or choose another port and state folder:\n\n  PORT=${port + 1} STATE_DIR=.state-${port + 1} npm start`,
			);
		}
		throw new CommandError(`Cannot listen on ${host}:${port}: ${error.message}`);
	});
}

export interface StartOptions {
	/** Shows the runtime's output once it is up. A start that fails shows everything. */
	readonly show: (text: string) => void;
	/** A signal that ends a start that is under way. */
	readonly signal?: AbortSignal;
	/** Variables of the Worker, in addition to those in .dev.vars. */
	readonly vars?: Readonly<Record<string, string>>;
	/** The port of the Worker's inspector. By default, any free port. */
	readonly inspectorPort?: number;
}

/**
 * Starts the platform and waits until it responds.
 *
 * @throws CommandError if the port is in use, a migration fails, the runtime ends early or the start is aborted.
 */
export async function startPlatform(place: PlatformPlace, { show, signal, vars = {}, inspectorPort = 0 }: StartOptions): Promise<Platform> {
	await assertPortFree(place);
	await migrateLocally(place.stateDir);
	assertNotAborted(signal);
	const url = urlOf(place);
	const child = spawnRuntime(place, { inspectorPort, vars: { ...readPassedVariables(), ...vars } });
	const ended = new Promise<{ code: number | null }>((resolveEnd) => child.once("close", (code) => resolveEnd({ code })));
	const log = createRuntimeLog(show);
	for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", log.write);
	const stop = () => stopRuntime(child, ended);
	const isHopeless = () => signal?.aborted === true || log.hasStartFault();
	const isReady = await Promise.race([waitUntilReady(url, isHopeless), ended.then(() => false)]);
	if (!isReady) {
		await stop();
		assertNotAborted(signal);
		throw new CommandError(`The platform did not start. The runtime said:\n\n${log.heldBack()}`);
	}
	log.release();
	const cron = setInterval(() => fireCron(place), CRON_INTERVAL_MS);
	ended.then(() => clearInterval(cron));
	// Fires the cron now, so that unfinished work of an earlier run continues at once.
	fireCron(place);
	return { url, ended, stop };
}

function assertNotAborted(signal: AbortSignal | undefined): void {
	if (signal?.aborted) throw new CommandError("Stopped before the platform was up.");
}

/** The variables that `npm start` passes from its own environment to the Worker. All others are in .dev.vars. */
const PASSED = ["ADMIN_TOKEN_SHA256", "SECURITY_CONTACT", "SUBMISSIONS_MAX_QUEUE_AGE_SECONDS", "GRADER_URL", "GRADER_TOKEN"];

function readPassedVariables(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
	return Object.fromEntries(PASSED.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
}

/** Starts the runtime as a process group, so that the whole group can be stopped, and Ctrl-C reaches it only through this command. */
function spawnRuntime(
	{ host, port, stateDir }: PlatformPlace,
	{ inspectorPort, vars }: Required<Pick<StartOptions, "inspectorPort" | "vars">>,
): ChildProcess {
	const args = [
		"dev",
		"--local",
		"--ip",
		host,
		"--port",
		String(port),
		"--inspector-port",
		String(inspectorPort),
		"--persist-to",
		stateDir,
	];
	const passed = Object.entries(vars).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
	return spawnWrangler([...args, ...passed], {
		detached: true,
		env: {
			// Informs scripts/wrangler-build.mjs that the site and the database are up to date.
			PLATFORM_PREPARED: "true",
			// Two platforms on one machine must not find each other's Workers.
			WRANGLER_REGISTRY_PATH: resolve(stateDir, "registry"),
			CLOUDFLARE_CF_FETCH_ENABLED: "false",
			X_LOCAL_OBSERVABILITY: "false",
		},
	});
}

async function waitUntilReady(url: string, isHopeless: () => boolean): Promise<boolean> {
	const giveUpAt = performance.now() + READY_TIMEOUT_MS;
	let refusals = 0;
	while (performance.now() < giveUpAt && refusals < MAX_REFUSALS && !isHopeless()) {
		const answer = await askHealth(url);
		if (answer === "healthy") return true;
		if (answer === "unhealthy") refusals += 1;
		await delay(READY_POLL_MS);
	}
	return false;
}

/** Returns true if the platform, and no other server, responds at a URL. */
export async function isResponding(url: string): Promise<boolean> {
	return (await askHealth(url)) === "healthy";
}

async function askHealth(url: string): Promise<"healthy" | "unhealthy" | "silent"> {
	try {
		const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(10_000) });
		const body: unknown = await response.json().catch(() => null);
		const isOk = response.ok && typeof body === "object" && body !== null && "status" in body && body.status === "ok";
		return isOk ? "healthy" : "unhealthy";
	} catch {
		return "silent";
	}
}

/** Fires the cron trigger. The local runtime accepts this only for a localhost name, on any interface. */
function fireCron({ host, port }: PlatformPlace): void {
	const { hostname } = new URL(urlOf({ host, port }));
	request({ hostname: hostname.replace(/^\[|\]$/g, ""), port, path: CRON_PATH, headers: { Host: `localhost:${port}` } })
		.on("response", (response) => response.resume())
		.on("error", () => undefined)
		.end();
}

async function stopRuntime(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
	if (signalGroup(child, "SIGTERM")) await Promise.race([ended, delay(STOP_TIMEOUT_MS, undefined, { ref: false })]);
	signalGroup(child, "SIGKILL");
	await ended;
	// Processes that wrangler started may outlive it for a moment, and still write to the state folder.
	const giveUpAt = performance.now() + GROUP_END_TIMEOUT_MS;
	while (signalGroup(child, 0) && performance.now() < giveUpAt) await delay(GROUP_POLL_MS);
}

/** Sends a signal to a process group. Returns false if no process of the group is left. */
function signalGroup(child: ChildProcess, signal: NodeJS.Signals | 0): boolean {
	if (child.pid === undefined) return false;
	try {
		return process.kill(-child.pid, signal);
	} catch {
		return false;
	}
}
