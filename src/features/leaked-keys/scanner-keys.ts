// The public keys of the scanner, remembered by this isolate.
import * as z from "zod";
import { AppError } from "../../domain/errors.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";
import { importPublicKey } from "../../platform/ecdsa.ts";
import { exchange } from "../../platform/outbound.ts";
import type { Deps } from "../../ports/deps.ts";

/** After this time they are read again. */
const FRESH_MS = HOUR_MS;
/** Reports that name unknown keys make no more requests than this. */
const PAUSE_MS = MINUTE_MS;
const TIMEOUT_MS = 5 * SECOND_MS;
const MAX_BYTES = 262_144;

const keyList = z.object({ public_keys: z.array(z.object({ key_identifier: z.string(), key: z.string() })).max(100) });

interface Known {
	readonly url: string;
	readonly keys: ReadonlyMap<string, CryptoKey>;
	readonly readAt: number;
}

let known: Known | null = null;
let triedAt = 0;

/**
 * The scanner's public key with an id; null when it has no such key.
 *
 * @throws AppError `NOT_READY` when the keys cannot be read and the isolate does not remember them.
 */
export async function findScannerKey(deps: Deps, url: string, keyId: string): Promise<CryptoKey | null> {
	const now = deps.clock.now();
	const remembered = known?.url === url ? known : null;
	const key = remembered?.keys.get(keyId);
	const age = remembered === null ? FRESH_MS : now - remembered.readAt;
	if (key !== undefined && age < FRESH_MS) return key;
	if (remembered !== null && now - triedAt < PAUSE_MS) return key ?? null;
	triedAt = now;
	const keys = await readKeys(deps, url);
	if (keys === null && key !== undefined) return key;
	if (keys === null) throw keysUnavailable();
	known = { url, keys, readAt: now };
	return keys.get(keyId) ?? null;
}

function keysUnavailable(): AppError {
	return new AppError("NOT_READY", {
		message: "The public keys of the scanner could not be read. Send the report again after the seconds in Retry-After.",
		retryAfterSeconds: PAUSE_MS / SECOND_MS,
	});
}

async function readKeys(deps: Deps, url: string): Promise<ReadonlyMap<string, CryptoKey> | null> {
	const headers = { Accept: "application/json", "User-Agent": "bounty-platform" };
	const result = await exchange(deps, { method: "GET", url, headers, body: null, timeoutMs: TIMEOUT_MS, maxResponseBytes: MAX_BYTES });
	const list = result.kind === "responded" && result.status === 200 ? parseList(result.body) : null;
	if (list === null) {
		deps.log.error("scanner_keys_failed", { reason: result.kind === "failed" ? result.reason : `status ${result.status}` });
		return null;
	}
	const imported = await Promise.all(list.map(async ({ key_identifier, key }) => [key_identifier, await importPublicKey(key)] as const));
	return new Map(imported.flatMap(([id, key]) => (key === null ? [] : [[id, key]])));
}

function parseList(body: string) {
	try {
		return keyList.parse(JSON.parse(body)).public_keys;
	} catch {
		return null;
	}
}
