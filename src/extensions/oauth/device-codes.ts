// The device code identifies an object, and a person finds that object by the user code.
import { commit, unlessStale } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { SECOND_MS } from "../../platform/clock.ts";
import { equalSecrets, sha256Hex } from "../../platform/crypto.ts";
import { signText } from "../../platform/keyring.ts";
import type { Deps, PublicCtx } from "../../ports/deps.ts";
import type { DeviceRequest, StoredClient } from "../../ports/grants.ts";
import { findClient } from "./clients.ts";
import { oauthError } from "./errors.ts";
import { readUserCode, USER_CODE_WINDOW_MS } from "./rules.ts";
import { deleteUserCodeTry, guardUserCodeTries, insertUserCodeTry } from "./statements.ts";
import { findDeviceObject } from "./store.ts";

/**
 * Returns the name of the object for a device's request.
 * The name contains the hash of the device code, so only the device can find the object.
 */
export async function objectOfDevice(deviceCode: string): Promise<string> {
	return `device:${await sha256Hex(deviceCode)}`;
}

const USER_CODE_PURPOSE = "user-code";

/** Returns the HMAC that the directory stores for a user code. The code is so short that its plain hash would reveal it. */
export function hmacOfUserCode({ config }: Pick<Deps, "config">, code: string): Promise<string> {
	return signText(config.keys, USER_CODE_PURPOSE, code);
}

/**
 * Finds the client of a device's request. A client with a secret sends its id and secret either in the header or in the form.
 *
 * @returns The client, or an error response.
 */
export async function authenticateClient(ctx: PublicCtx, request: Request, form: URLSearchParams): Promise<StoredClient | Response> {
	const basic = /^basic +(\S+)$/i.exec(request.headers.get("Authorization") ?? "")?.[1];
	const [id, secret] = basic === undefined ? [form.get("client_id"), form.get("client_secret")] : readBasic(basic);
	const client = id === null || (form.get("client_id") ?? id) !== id ? null : await findClient(ctx, id);
	const isOpen = client?.tokenEndpointAuthMethod === "none";
	if (client !== null && (isOpen || (secret !== null && (await equalSecrets(secret, client.clientSecret ?? null))))) return client;
	return oauthError(
		"invalid_client",
		"This platform does not know the client, or its secret is wrong. Let the client register again.",
		401,
	);
}

/** Reads the id and the secret from a header. RFC 6749 requires both to be form-encoded. */
function readBasic(basic: string): readonly [id: string | null, secret: string | null] {
	try {
		const text = atob(basic);
		const end = text.indexOf(":");
		if (end < 0) return [null, null];
		const decode = (part: string) => decodeURIComponent(part.replaceAll("+", " "));
		return [decode(text.slice(0, end)), decode(text.slice(end + 1))];
	} catch {
		return [null, null];
	}
}

/** A device's pending request, as a person sees it. */
export interface FoundRequest extends DeviceRequest {
	readonly object: string;
	readonly code: string;
}

/**
 * Finds a pending request by the code that a person typed. Each wrong code counts against the network's limit.
 *
 * @returns Null if the code is wrong or has expired.
 * @throws AppError `RATE_LIMITED` after ten wrong codes in ten minutes.
 */
export async function findRequest(ctx: PublicCtx, typed: string): Promise<FoundRequest | null> {
	const attempt = { id: ctx.ids.next(), network: ctx.network, expiresAt: ctx.clock.now() + USER_CODE_WINDOW_MS };
	// Counts the attempt first, so that parallel attempts cannot exceed the limit.
	if (!(await unlessStale(() => commit(ctx.db, [guardUserCodeTries(ctx, ctx.network), insertUserCodeTry(ctx, attempt)])))) {
		throw new AppError("RATE_LIMITED", {
			message: "Your network has entered ten wrong codes in ten minutes. Wait before you try again.",
			retryAfterSeconds: USER_CODE_WINDOW_MS / SECOND_MS,
		});
	}
	const code = readUserCode(typed);
	const object = code === null ? null : await findDeviceObject(ctx, await hmacOfUserCode(ctx, code));
	const request = object === null ? null : await ctx.hubs.callGrants(object, (grants) => grants.readRequest(ctx.clock.now()));
	if (code === null || object === null || request?.state !== "pending") return null;
	await commit(ctx.db, [deleteUserCodeTry(ctx, attempt.id)]);
	const { client, scope, expiresAt } = request;
	return { client, scope, expiresAt, object, code };
}
