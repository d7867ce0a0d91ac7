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

export interface Reservation {
	readonly statements: readonly Statement[];
	/** These statements take it back. */
	readonly release: readonly Statement[];
}

/**
 * Returns statements that count what an agent does for the caller's network and the UTC day. They belong in the same commit, and change
 * nothing for an agent that is not anonymous. Over a cap, the commit fails as `RATE_LIMITED`.
 */
export async function reserveForNetwork(ctx: PublicCtx, agentId: string, amounts: Amounts): Promise<Reservation> {
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
 * Counts what an agent does for the caller's network until the UTC day ends. Changes nothing for an agent that is not anonymous.
 *
 * @throws AppError `RATE_LIMITED` over a cap.
 */
export async function countForNetwork(ctx: PublicCtx, agentId: string, amounts: Amounts): Promise<void> {
	await commit(ctx.db, (await reserveForNetwork(ctx, agentId, amounts)).statements);
}

/** Deletes the counts of past days except yesterday's, because clocks differ. */
export async function forgetNetworkDays(deps: Deps): Promise<void> {
	const beforeDay = utcDayOf(deps.clock.now() - DAY_MS);
	await forgetRows(deps.db, (limit) => deps.db.query.batch([deleteDays(deps, { beforeDay, limit })]));
}
