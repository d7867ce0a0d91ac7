// Sends a request to a platform: to the running one if ADMIN_TOKEN is set, and otherwise to one that is started on the local state folder
// for this command.
import { createHash, randomBytes } from "node:crypto";
import { CommandError } from "../support/command.ts";
import { assertHasDatabase } from "../support/local-database.ts";
import { findFreePort, isResponding, type PlatformPlace, readPlace, startPlatform, urlOf } from "../support/platform.ts";
import { stopSignal, whenAborted } from "../support/stop-signal.ts";
import type { AdminRequest } from "./verbs.ts";

/** Longer than the longest request, which tests the grader. */
const REQUEST_TIMEOUT_MS = 240_000;

interface Target {
	readonly isRemote: boolean;
	/** The platform's origin, if it is given on the command line. */
	readonly url: string | undefined;
	/** The environment of wrangler.toml that has the deployment's origin. Null for the top level. */
	readonly environment: string | null;
}

/**
 * Sends a request and returns the response as text.
 *
 * @throws CommandError if there is no platform, or it rejects the request.
 */
export async function sendToPlatform(request: AdminRequest, { isRemote, url, environment }: Target): Promise<string> {
	const token = process.env["ADMIN_TOKEN"] || undefined;
	if (isRemote || url !== undefined) {
		const origin = url ?? (process.env["PUBLIC_URL"] || (await readPublicUrl(environment)));
		if (origin === undefined || !URL.canParse(origin))
			throw new CommandError("Say where the platform is: PUBLIC_URL=https://... or --url https://...");
		if (token === undefined) throw new CommandError("Set ADMIN_TOKEN to the admin token of the deployment.");
		return send(request, { origin, token });
	}
	const place = readPlace();
	if (token === undefined) return sendToOwn(request, place);
	const origin = urlOf(place);
	if (!(await isResponding(origin)))
		throw new CommandError(`No platform is running at ${origin}. Start it, or unset ADMIN_TOKEN to work on its state folder.`);
	return send(request, { origin, token });
}

/**
 * Reads PUBLIC_URL from wrangler.toml, or returns undefined if it is a secret. wrangler takes a second to load, so it is loaded only
 * here.
 */
async function readPublicUrl(environment: string | null): Promise<string | undefined> {
	const { readDeployment } = await import("../deploy/preparation.ts");
	const { PUBLIC_URL: origin } = readDeployment(environment).vars;
	return typeof origin === "string" ? origin : undefined;
}

/** Runs the platform on the state folder for one request, with a token that no one else knows. */
async function sendToOwn(request: AdminRequest, place: PlatformPlace): Promise<string> {
	assertHasDatabase(place.stateDir);
	const token = `svc_admin_${randomBytes(32).toString("hex")}`;
	const own = { ...place, host: "127.0.0.1", port: await findFreePort() };
	const vars = { ADMIN_TOKEN_SHA256: createHash("sha256").update(token).digest("hex") };
	// The runtime has a separate process group, so it would outlive a command that Ctrl-C ends.
	const signal = stopSignal();
	const platform = await startPlatform(own, { show: () => undefined, vars, signal });
	const stopped = whenAborted(signal).then(() => Promise.reject(new CommandError("Stopped.")));
	try {
		return await Promise.race([send(request, { origin: platform.url, token }), stopped]);
	} finally {
		await platform.stop();
	}
}

interface Access {
	readonly origin: string;
	readonly token: string;
}

/** Sends a request and those that continue it. Returns the last response, preceded by the responses that the verb asks to print. */
async function send(first: AdminRequest, access: Access): Promise<string> {
	const acts: string[] = [];
	for (let request = first; ; ) {
		const response = await sendOne(request, access).catch((error: unknown) => {
			if (acts.length === 0 || !(error instanceof CommandError)) throw error;
			throw new CommandError(`${error.message}\n\nThis was ${request.method} ${request.path}. Completed acts before it: ${acts.length}.`);
		});
		const next = request.next?.(response) ?? null;
		if (next === null) return [...acts, response].join("\n");
		if (request.isOneOfMany === true || request.keeps?.(response) === true) acts.push(response);
		request = next;
	}
}

async function sendOne({ method, path, body }: AdminRequest, { origin, token }: Access): Promise<string> {
	const response = await ask(new URL(path, origin), {
		method,
		headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	const text = await response.text();
	const shown = format(text);
	if (response.ok) return shown;
	if (response.status === 404 && !shown.includes("There is no")) {
		throw new CommandError(`${shown}\n\nIf this platform has no ADMIN_TOKEN_SHA256, it has no admin API.`);
	}
	throw new CommandError(shown);
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
	try {
		return await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS) });
	} catch (error) {
		const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
		throw new CommandError(`${url.origin} cannot be reached: ${cause}`);
	}
}

function format(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}
