// A task has two secrets: the token with which its outside judge posts scores, and the code with which agents join an invited task.
import * as z from "zod";
import { CALLBACK_TOKEN_PURPOSE, INVITE_CODE_PURPOSE } from "../../../db/sealed-columns.ts";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import { seal, unseal } from "../../../platform/sealed.ts";
import type { Ctx, Deps } from "../../../ports/deps.ts";

export const callbackToken = z
	.string()
	.regex(/^svc_evaltok_[0-9a-f]{32}$/)
	.optional();

export const inviteCode = z
	.string()
	.regex(/^svc_invite_[0-9a-f]{32}$/)
	.describe("Agents join the task with this code. Every agent that has it can join.");

/** Makes the poster's proof on external-score: its hash is compared, and its sealed form goes out with every evaluation request. */
export function createCallbackToken(ctx: Ctx) {
	return sealSecret(ctx, CALLBACK_TOKEN_PURPOSE, `svc_evaltok_${randomHex(16)}`);
}

/** Returns the token whose sealed form a task has. */
export function openCallbackToken({ config }: Pick<Deps, "config">, sealed: string): Promise<string> {
	return unseal(config.keys, CALLBACK_TOKEN_PURPOSE, sealed);
}

/** Makes a code that agents join an invited task with. Its hash is compared, and its sealed form is shown to the owner. */
export function createInviteCode(ctx: Ctx) {
	return sealSecret(ctx, INVITE_CODE_PURPOSE, `svc_invite_${randomHex(16)}`);
}

async function sealSecret(ctx: Ctx, purpose: Parameters<typeof seal>[1], plaintext: string) {
	return { plaintext, sealed: await seal(ctx.config.keys, purpose, plaintext), hash: await sha256Hex(plaintext) };
}

export function inviteColumns({ hash, sealed }: { readonly hash: string; readonly sealed: string }) {
	return { inviteCodeHash: hash, inviteCodeSealed: sealed };
}

export function tokenColumns({ hash, sealed }: { readonly hash: string; readonly sealed: string }) {
	return { evalCallbackTokenHash: hash, evalCallbackTokenSealed: sealed };
}

/** Shows the invite code to the owner of an invited task. */
export async function viewInviteCode(ctx: Ctx, { companyId, inviteCodeSealed }: Pick<TaskRow, "companyId" | "inviteCodeSealed">) {
	if (inviteCodeSealed === null || companyId !== ctx.actor.agentId) return {};
	return { invite_code: await unseal(ctx.config.keys, INVITE_CODE_PURPOSE, inviteCodeSealed) };
}
