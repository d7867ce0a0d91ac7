// Signs in by the device grant of OAuth (RFC 8628), and keeps the tokens fresh.
import { CommandError } from "./exit-codes.ts";
import { changeProfile, type Environment, type Profile, readProfile } from "./profiles.ts";
import { assertSafeUrl, BountyConnectionError, isRecord, sleep } from "./sdk.ts";

/** The command line's id on the platform. */
const CLIENT_ID = "bounty-cli";
const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";
const SECOND_MS = 1_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** A token that would expire within this time is replaced first, so that a command does not fail halfway. */
const RENEW_BEFORE_MS = 5 * 60_000;

/** The tokens with which a program may act for an agent until they expire. */
export type Tokens = Omit<Profile, "url">;

/** A code, and the URL where a person enters it. */
export interface DeviceCode {
	readonly userCode: string;
	readonly url: string;
	readonly completeUrl: string;
}

interface Timing {
	readonly signal: AbortSignal;
	/** Returns milliseconds since the epoch. */
	readonly now: () => number;
	/** Waits this number of milliseconds. */
	readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

export const REAL_TIME: Omit<Timing, "signal"> = { now: () => Date.now(), wait: (ms, signal) => sleep(ms, signal) };

/**
 * Signs in on another device. Polls the platform at its interval until the person has decided.
 *
 * @param show Shows the code to the person.
 * @throws CommandError if the person refuses, the code expires, or the platform has no such sign-in.
 */
export async function signInByDevice(url: string, { show, ...timing }: Timing & { show: (code: DeviceCode) => void }): Promise<Tokens> {
	const { signal, now, wait } = timing;
	const begun = await post(url, { client_id: CLIENT_ID, scope: "act" }, { path: "/oauth/device_authorization", signal });
	const { device_code: deviceCode, user_code: userCode, verification_uri: page, verification_uri_complete: completeUrl } = begun.body;
	if (begun.status !== 200 || typeof deviceCode !== "string" || typeof userCode !== "string" || typeof page !== "string") {
		throw refusal("The platform offers no sign-in for the command line.", begun, ["Sign in with a key: bounty login --with-key"]);
	}
	show({ userCode, url: page, completeUrl: typeof completeUrl === "string" ? completeUrl : page });
	const endsAt = now() + numberOf(begun.body["expires_in"], 900) * SECOND_MS;
	let intervalMs = numberOf(begun.body["interval"], 5) * SECOND_MS;
	while (now() < endsAt) {
		await wait(intervalMs, signal);
		const reply = await post(
			url,
			{ grant_type: DEVICE_GRANT, device_code: deviceCode, client_id: CLIENT_ID },
			{ path: "/oauth/token", signal },
		).catch(asBusy);
		if (reply.status === 200) return readTokens(reply.body, now());
		const { error } = reply.body;
		if (error === "slow_down") intervalMs += 5 * SECOND_MS;
		else if (isBusy(reply)) intervalMs = Math.max(intervalMs, 30 * SECOND_MS);
		else if (error !== "authorization_pending") throw refusal("The sign-in failed.", reply, ["Begin again: bounty login"]);
	}
	throw new CommandError("The code has expired.", { exitCode: 3, hints: ["Begin again: bounty login"] });
}

/**
 * Returns the profile with a token that stays valid for a while, or undefined if there is no such profile. Only one command at a time
 * replaces a token, because each refresh token works once.
 *
 * @throws CommandError if the platform has ended the sign-in.
 */
export async function renewProfile(
	env: Environment,
	name: string,
	{ signal, now }: Pick<Timing, "signal" | "now">,
): Promise<Profile | undefined> {
	const stored = await readProfile(env, name);
	if (stored === null || typeof stored === "string") return undefined;
	if (!isDue(stored, now())) return stored;
	const change = async (profile: Profile): Promise<Profile> => {
		// Another command may have replaced the token while this one was waiting.
		if (!isDue(profile, now())) return profile;
		const form = { grant_type: "refresh_token", refresh_token: profile.refreshToken ?? "", client_id: CLIENT_ID };
		const reply = await post(profile.url, form, { path: "/oauth/token", signal });
		// A long command survives this, like any other outage.
		if (isBusy(reply)) throw new BountyConnectionError(refusal("Your sign-in could not be renewed now.", reply, []).message);
		if (reply.status !== 200) throw refusal("Your sign-in has ended.", reply, [`Sign in again: bounty login --profile ${name}`]);
		return { ...profile, ...readTokens(reply.body, now()) };
	};
	return changeProfile(env, name, { change, signal });
}

function isDue({ refreshToken, expiresAt }: Profile, now: number): boolean {
	return refreshToken !== undefined && (expiresAt ?? 0) - now < RENEW_BEFORE_MS;
}

/** Revokes the token, so that the platform ends the sign-in. Ignores failures. */
export async function signOut({ url, refreshToken }: Pick<Profile, "url" | "refreshToken">, signal: AbortSignal): Promise<void> {
	if (refreshToken === undefined) return;
	await post(url, { token: refreshToken, client_id: CLIENT_ID }, { path: "/oauth/revoke", signal }).catch(() => undefined);
}

interface Reply {
	readonly status: number;
	readonly body: Readonly<Record<string, unknown>>;
}

function isBusy({ status }: Reply): boolean {
	return status === 429 || status >= 500;
}

/** A broken connection says nothing about the person's decision, so polling continues as if the platform were busy. */
function asBusy(error: unknown): Reply {
	if (error instanceof BountyConnectionError) return { status: 503, body: {} };
	throw error;
}

/** @throws BountyConnectionError without a response, or the reason of `signal`. */
async function post(
	url: string,
	fields: Readonly<Record<string, string>>,
	{ path, signal }: { readonly path: string; readonly signal: AbortSignal },
): Promise<Reply> {
	const target = `${assertSafeUrl(url, "The URL").href.replace(/\/+$/, "")}${path}`;
	const response = await fetch(target, {
		method: "POST",
		redirect: "error",
		headers: { "Content-Type": "application/x-www-form-urlencoded", Accept: "application/json" },
		body: new URLSearchParams(fields).toString(),
		signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
	}).catch((cause: unknown) => {
		signal.throwIfAborted();
		throw new BountyConnectionError(`POST ${path} failed.`, { cause });
	});
	const body: unknown = await response.json().catch(() => null);
	return { status: response.status, body: isRecord(body) ? body : {} };
}

function readTokens(body: Readonly<Record<string, unknown>>, now: number): Tokens {
	const { access_token: apiKey, refresh_token: refreshToken } = body;
	if (typeof apiKey !== "string" || typeof refreshToken !== "string") {
		throw new CommandError("The platform did not send any tokens.", { exitCode: 9 });
	}
	return { apiKey, refreshToken, expiresAt: now + numberOf(body["expires_in"], 3_600) * SECOND_MS };
}

function refusal(message: string, { status, body }: Reply, hints: readonly string[]): CommandError {
	const reason = typeof body["error_description"] === "string" ? ` ${body["error_description"]}` : ` (status ${status})`;
	return new CommandError(message + reason, { exitCode: isBusy({ status, body }) ? 9 : 3, hints });
}

function numberOf(value: unknown, otherwise: number): number {
	return typeof value === "number" && value > 0 ? value : otherwise;
}
