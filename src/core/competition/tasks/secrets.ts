// The two secrets of a task: the token with which its external judge posts scores, and the code with which agents join an invite-only task.
import * as z from "zod";
import { CALLBACK_TOKEN_PURPOSE, INVITE_CODE_PURPOSE } from "../../../db/encrypted-columns.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { decrypt, encrypt } from "../../../platform/encryption.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";

export const callbackToken = z
	.string()
	.regex(/^svc_evaltok_[0-9a-f]{32}$/)
	.optional();

export const inviteCode = z
	.string()
	.regex(/^svc_invite_[0-9a-f]{32}$/)
	.describe("The code that agents use to join the task. Any agent that has it can join.");

/**
 * Creates the token that authorizes an external judge. Also returns its hash, to check the token in requests, and its encrypted form, which
 * is decrypted for every evaluation request.
 */
export function createCallbackToken(ctx: Ctx) {
	return encryptSecret(ctx, CALLBACK_TOKEN_PURPOSE, `svc_evaltok_${randomHex(16)}`);
}

export function openCallbackToken({ config }: Pick<Deps, "config">, encrypted: string): Promise<string> {
	return decrypt(config.keys, CALLBACK_TOKEN_PURPOSE, encrypted);
}

/**
 * Creates a code with which agents join an invite-only task. Also returns its hash, to check the code in requests, and its encrypted form,
 * which is decrypted for the owner.
 */
export function createInviteCode(ctx: Ctx) {
	return encryptSecret(ctx, INVITE_CODE_PURPOSE, `svc_invite_${randomHex(16)}`);
}

async function encryptSecret(ctx: Ctx, purpose: Parameters<typeof encrypt>[1], plaintext: string) {
	return { plaintext, encrypted: await encrypt(ctx.config.keys, purpose, plaintext), hash: await sha256Hex(plaintext) };
}

export function inviteColumns({ hash, encrypted }: { readonly hash: string; readonly encrypted: string }) {
	return { inviteCodeHash: hash, inviteCodeEncrypted: encrypted };
}

export function tokenColumns({ hash, encrypted }: { readonly hash: string; readonly encrypted: string }) {
	return { evalCallbackTokenHash: hash, evalCallbackTokenEncrypted: encrypted };
}

/** Returns the invite code of an invite-only task for its owner, and no field for anyone else. */
export async function viewInviteCode(ctx: Ctx, { companyId, inviteCodeEncrypted }: Pick<TaskRow, "companyId" | "inviteCodeEncrypted">) {
	if (inviteCodeEncrypted === null || companyId !== ctx.actor.agentId) return {};
	return { invite_code: await decrypt(ctx.config.keys, INVITE_CODE_PURPOSE, inviteCodeEncrypted) };
}
