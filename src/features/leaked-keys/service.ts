import type { z } from "zod";
import { commit, decideAndCommit } from "../../db/commit.ts";
import { AppError, invalidInput } from "../../domain/errors.ts";
import { readBytes } from "../../http/raw-body.ts";
import { faultsOf } from "../../http/validation.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { isEcdsaSignature } from "../../platform/ecdsa.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps, PublicCtx } from "../../ports/deps.ts";
import { auditEntry } from "../admin/audit.ts";
import { stopChildKeys, stopKeys } from "../api-keys/service.ts";
import { MAX_REPORT_BYTES, reportedTokens } from "./contract.ts";
import { findScannerKey } from "./scanner-keys.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

/** How the audit log names the scanner. */
const ACTOR = "secret-scanning";
const MAX_PLACE_LENGTH = 500;

type Report = z.output<typeof reportedTokens>;

interface Signed {
	readonly keyId: string | undefined;
	readonly signature: string | undefined;
}

/**
 * Revokes the credentials among reported tokens. Every token costs the same, whether it is one or not.
 *
 * @throws AppError `NOT_FOUND` where no scanner is configured; `UNAUTHORIZED` for a signature that is missing or wrong;
 *   `INVALID_BODY`, `FILE_TOO_LARGE`; `NOT_READY` while the scanner's public keys cannot be read.
 */
export async function revokeLeaked(ctx: PublicCtx, request: Request, signed: Signed) {
	const url = ctx.config.secretScanningKeysUrl;
	if (url === null) throw new AppError("NOT_FOUND");
	const bytes = await readBytes(request, MAX_REPORT_BYTES, { faultCode: "INVALID_BODY" });
	if (!(await isFromScanner(ctx, { ...signed, url, bytes }))) throw notFromScanner();
	const report = parseReport(bytes);
	const hashes: string[] = [];
	for (const { token } of report) hashes.push(await sha256Hex(token));
	const known = await decideAndCommit(ctx.db, () => revokeKnown(ctx, report, hashes));
	return report.map(({ token, type }, index) => ({
		token_raw: token,
		token_type: type,
		label: known.has(hashes[index] ?? "") ? ("true_positive" as const) : ("false_positive" as const),
	}));
}

async function isFromScanner(
	ctx: PublicCtx,
	{ keyId, signature, url, bytes }: Signed & { url: string; bytes: Uint8Array },
): Promise<boolean> {
	if (keyId === undefined || signature === undefined) return false;
	const key = await findScannerKey(ctx, url, keyId);
	return key !== null && isEcdsaSignature(key, signature, bytes);
}

function notFromScanner(): AppError {
	return new AppError("UNAUTHORIZED", {
		message: "The signature of this report is missing or wrong. Github-Public-Key-Identifier names the key that signed the body as it is.",
		headers: { "WWW-Authenticate": 'Signature realm="bounty-platform"' },
	});
}

function parseReport(bytes: Uint8Array): Report {
	let json: unknown;
	try {
		json = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
	} catch {
		throw invalidInput("INVALID_BODY", [{ path: "", message: "The body must be JSON." }]);
	}
	const parsed = reportedTokens.safeParse(json);
	if (!parsed.success) throw invalidInput("INVALID_BODY", faultsOf(parsed.error));
	return parsed.data;
}

/** Revokes the active ones, and returns the hashes of all credentials that this deployment has made. */
async function revokeKnown(ctx: PublicCtx, report: Report, hashes: readonly string[]): Promise<ReadonlySet<string>> {
	ctx.db.refresh();
	const credentials = await store.selectCredentials(ctx, hashes);
	const active = credentials.filter(({ isActive }) => isActive);
	if (active.length > 0) {
		const leaks = active.map(({ id, hash, kind }) => ({ id, kind, foundAt: placeOf(report[hashes.indexOf(hash)]) }));
		await commit(ctx.db, [...revocations(ctx, leaks), ...leaks.map((leak) => audit(ctx, leak))]);
		stopKeys(
			ctx,
			leaks.filter(({ kind }) => kind === "api_key").map(({ id }) => id),
		);
		for (const { id, kind } of leaks) if (kind === "operator_token") stopChildKeys(ctx, id);
		ctx.log.info("leaked_credentials_revoked", { count: leaks.length });
	}
	return new Set(credentials.map(({ hash }) => hash));
}

interface FoundLeak extends statements.Leak {
	readonly kind: store.Credential["kind"];
}

function revocations(ctx: PublicCtx, leaks: readonly FoundLeak[]): Statement[] {
	return (["api_key", "operator_token"] as const).flatMap((kind) => {
		const own = leaks.filter((leak) => leak.kind === kind);
		return own.length === 0 ? [] : [statements.guardActive(ctx, kind, own), statements.deactivateLeaked(ctx, kind, own)];
	});
}

/** The place is for the owner. It may name a person, so the audit log does not have it. */
function audit(ctx: PublicCtx, { id, kind }: FoundLeak): Statement {
	return auditEntry(
		{ ...ctx, admin: ACTOR },
		{
			action: `${kind}.revoke_leaked`,
			target: id,
			reason: "It was found in public.",
			before: { revoked: false },
			after: { revoked: true },
		},
	).statement;
}

/** The URL where a token was found; empty for anything else, and for a URL that has the token in it. */
function placeOf(entry: Report[number] | undefined): string {
	const url = entry?.url ?? "";
	const isUrl = url.length <= MAX_PLACE_LENGTH && /^https?:\/\/[\x21-\x7e]+$/.test(url) && URL.canParse(url);
	return isUrl && entry !== undefined && !url.includes(entry.token) ? url : "";
}

/** Where a credential was found in public, if that is why it does not work: empty when the place is not known. Else null. */
export async function findLeak(deps: Deps, credential: string): Promise<string | null> {
	return store.findLeak(deps, await sha256Hex(credential));
}
