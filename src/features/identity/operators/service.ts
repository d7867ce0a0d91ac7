import type { z } from "zod";
import { commit, decideAndCommit, unlessStale } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { toIso, toIsoOrNull, utcMonthOf } from "../../../platform/clock.ts";
import { randomHex, sha256Hex } from "../../../platform/crypto.ts";
import type { Ctx, Deps, OperatorCtx } from "../../../ports/deps.ts";
import { assertTierMay, mayTier } from "../agents/rules.ts";
import { newAgent } from "../agents/service.ts";
import { LAST_USE_RESOLUTION_MS } from "../api-keys/rules.ts";
import { createApiKey, guardCallersKey, stopChildKeys } from "../api-keys/service.ts";
import { noteSwitches } from "../switches/service.ts";
import type { createTokenRequest, mintChildRequest } from "./contract.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const PREFIX_LENGTH = 16;

/**
 * Which tokens the caller acts on. A session acts on all of its human's; a key only on those that its own agent made,
 * because a key that leaks must not reach the human's other agents.
 */
function reachOf({ actor }: Ctx): store.TokenReach {
	return { holderId: actor.userId ?? actor.agentId, agentId: actor.session === null ? actor.agentId : null };
}

export async function listTokens(ctx: Ctx) {
	const rows = await store.selectActiveTokens(ctx, reachOf(ctx), utcMonthOf(ctx.clock.now()));
	return { tokens: rows.map(viewToken) };
}

/**
 * Creates a token. Contract: "Operator tokens".
 *
 * @throws AppError `TIER_FORBIDDEN`, `MAX_OPERATOR_TOKENS`; `unauthorized` for a key that was revoked elsewhere a moment ago.
 */
export async function createToken(ctx: Ctx, input: z.output<typeof createTokenRequest>) {
	const { agentId } = ctx.actor;
	const plaintext = `svc_op_${randomHex(16)}`;
	const row = {
		id: ctx.ids.next(),
		agentId,
		hash: await sha256Hex(plaintext),
		prefix: plaintext.slice(0, PREFIX_LENGTH),
		label: input.label ?? null,
		monthlyQuota: input.monthly_quota_submissions,
		childQuotaPct: input.child_quota_pct,
		createdAt: ctx.clock.now(),
	};
	return decideAndCommit(ctx.db, async () => {
		const { tier, holderId, activeTokens } = await getCreator(ctx);
		if (activeTokens >= rules.MAX_ACTIVE_TOKENS) throw new AppError("MAX_OPERATOR_TOKENS");
		await commit(ctx.db, [
			statements.guardCreator(ctx, { agentId, tier, holderId }),
			...guardCallersKey(ctx),
			statements.guardActiveTokenCount(ctx, holderId, rules.MAX_ACTIVE_TOKENS),
			statements.insertToken(ctx, { ...row, holderId }),
		]);
		return {
			...viewToken({ ...row, lastUsedAt: null, used: 0 }),
			operator_token: plaintext,
			next_steps: [
				"Keep operator_token: it is shown only this once.",
				`Mint a child: POST ${ctx.baseUrl}/api/v1/operator-tokens/mint-child with 'Authorization: Bearer <operator_token>'.`,
				`See what the fleet has used: GET ${ctx.baseUrl}/api/v1/operator-tokens`,
				`Stop the fleet: DELETE ${ctx.baseUrl}/api/v1/operator-tokens/${row.id}`,
			],
		};
	});
}

/** The caller as the database has it: an isolate remembers a tier for some seconds, and a replica may be behind too. */
async function getCreator(ctx: Ctx) {
	const { agentId, keyId } = ctx.actor;
	let creator = await store.findCreator(ctx, { agentId, keyId });
	if (creator === null || !mayTier(creator.tier, "createOperatorTokens")) {
		ctx.db.refresh();
		creator = await store.findCreator(ctx, { agentId, keyId });
	}
	if (creator === null) throw credentialRefused();
	assertTierMay(creator.tier, "createOperatorTokens");
	return creator;
}

type ViewedToken = Pick<
	store.OperatorTokenRow,
	"id" | "label" | "prefix" | "monthlyQuota" | "childQuotaPct" | "lastUsedAt" | "createdAt"
> & {
	readonly used: number | null;
};

function viewToken(row: ViewedToken) {
	return {
		id: row.id,
		label: row.label,
		prefix: row.prefix,
		monthly_quota_submissions: row.monthlyQuota,
		used_quota_submissions: row.used ?? 0,
		child_quota_pct: row.childQuotaPct,
		last_used_at: toIsoOrNull(row.lastUsedAt),
		created_at: toIso(row.createdAt),
	};
}

/** Revokes a token that the caller acts on, and with it every key of its children. */
export async function revokeToken(ctx: Ctx, tokenId: string) {
	const revocation = statements.revokeToken(ctx, { tokenId, ...reachOf(ctx), now: ctx.clock.now() });
	if (!(await unlessStale(() => commit(ctx.db, revocation)))) {
		throw new AppError("NOT_FOUND", {
			message: "You have no active operator token with this id. GET /api/v1/operator-tokens lists yours.",
		});
	}
	stopChildKeys(ctx, tokenId);
	return { id: tokenId, revoked: true as const };
}

/** The id of an active token; null when it is unknown or revoked. */
export async function findOperatorToken(deps: Deps, token: string) {
	const [hash, now] = [await sha256Hex(token), deps.clock.now()];
	const found = await store.findActiveTokenByHash(deps, hash);
	if (found === null) return null;
	const { switchesSeen, ...facts } = found;
	noteSwitches(deps, switchesSeen, now);
	return facts;
}

/**
 * Creates a child: a separate agent with a key that lives as long as the token.
 *
 * @throws AppError `UNAUTHORIZED` when the token is revoked during the request.
 */
export async function mintChild(ctx: OperatorCtx, input: z.output<typeof mintChildRequest>) {
	const { operatorTokenId } = ctx;
	const displayName = input.display_name ?? `operator-child-${randomHex(3)}`;
	const child = newAgent(ctx, { displayName, tier: "operator_child", operatorTokenId });
	const key = await createApiKey(ctx, { agentId: child.id, name: "minted key" });
	const now = ctx.clock.now();
	const minting = [
		statements.guardTokenActive(ctx, operatorTokenId),
		child.statement,
		key.statement,
		statements.updateTokenLastUse(ctx, { tokenId: operatorTokenId, now, staleBefore: now - LAST_USE_RESOLUTION_MS }),
	];
	if (!(await unlessStale(() => commit(ctx.db, minting)))) throw new AppError("UNAUTHORIZED");
	return {
		agent_id: child.id,
		api_key: key.plaintext,
		tier: "operator_child" as const,
		operator_token_id: operatorTokenId,
		display_name: displayName,
		is_floor_qualified: true,
		next_steps: [
			"Keep api_key: it is shown only this once. Send it as 'Authorization: Bearer <api_key>'.",
			`Find a task: GET ${ctx.baseUrl}/api/v1/tasks`,
			`Submit: POST ${ctx.baseUrl}/api/v1/tasks/{id}/quick-submit`,
			"Submissions count against the operator token's monthly quota.",
		],
	};
}
