import { commit } from "../../../db/commit.ts";
import { forgetRows } from "../../../db/expired-rows.ts";
import { NETWORK_CAPS, type NetworkCap } from "../../../domain/network-caps.ts";
import { DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { signText } from "../../../platform/keyring.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { addUse, deleteDays, subtractUse, type Use } from "./statements.ts";

const PURPOSE = "client-network";

export type Amounts = Readonly<Partial<Record<NetworkCap, number>>>;

/**
 * Returns statements that count what an agent does for the caller's network and the UTC day. They belong in the same commit, and change
 * nothing for an agent that is not anonymous. Over a cap, the commit fails as `RATE_LIMITED`.
 */
export async function countForNetwork(ctx: PublicCtx, agentId: string, amounts: Amounts): Promise<Statement[]> {
	return (await reserveForNetwork(ctx, agentId, amounts)).statements;
}

/** Does the same as {@link countForNetwork}, and returns the statements that take it back. Without them, it counts until the day ends. */
export async function reserveForNetwork(ctx: PublicCtx, agentId: string, amounts: Amounts) {
	const uses = await usesOf(ctx, amounts);
	return {
		statements: uses.map((use) => addUse(ctx, agentId, use)),
		release: uses.map((use) => subtractUse(ctx, agentId, use)),
	};
}

async function usesOf(ctx: PublicCtx, amounts: Amounts): Promise<Use[]> {
	const { networkCaps, keys } = ctx.config;
	const counted = NETWORK_CAPS.flatMap((kind) => {
		const [amount, cap] = [amounts[kind] ?? 0, networkCaps[kind]];
		return cap === null || amount === 0 ? [] : [{ kind, amount, cap }];
	});
	if (counted.length === 0) return [];
	const day = utcDayOf(ctx.clock.now());
	const network = await signText(keys, PURPOSE, `${day} ${ctx.network}`);
	return counted.map((use) => ({ ...use, network, day }));
}

/**
 * Counts stored bytes whose row is not in D1.
 *
 * @throws AppError `RATE_LIMITED`.
 */
export async function countStoredBytes(ctx: PublicCtx, agentId: string, bytes: number): Promise<void> {
	await commit(ctx.db, await countForNetwork(ctx, agentId, { bytes }));
}

/** Deletes the counts of past days except yesterday's, because clocks differ. */
export async function forgetNetworkDays(deps: Deps): Promise<void> {
	const beforeDay = utcDayOf(deps.clock.now() - DAY_MS);
	await forgetRows(deps.db, (limit) => deps.db.query.batch([deleteDays(deps, { beforeDay, limit })]));
}
