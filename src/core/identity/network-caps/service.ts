import { commit } from "../../../db/commit.ts";
import { forgetRows } from "../../../db/expired-rows.ts";
import { AppError } from "../../../domain/errors.ts";
import type { NetworkCap } from "../../../domain/network-caps.ts";
import { STRANGERS } from "../../../http/networks.ts";
import { DAY_MS, utcDayOf } from "../../../platform/clock.ts";
import { signText } from "../../../platform/keyring.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps, PublicCtx } from "../../../ports/deps.ts";
import { addUse, deleteDays } from "./statements.ts";

const PURPOSE = "client-network";

/** Something that an agent does and that counts toward a network cap. */
export interface CappedUse {
	readonly agentId: string;
	readonly kind: NetworkCap;
	readonly amount: number;
}

/**
 * Returns statements that count a use until the UTC day ends. Put them in the same commit as the use, or directly before it, because the
 * count never goes back down. If a cap would be exceeded, the commit fails with `RATE_LIMITED`.
 */
export async function countUse(ctx: PublicCtx, use: CappedUse): Promise<Statement[]> {
	const cap = ctx.config.networkCaps[use.kind];
	if (cap === null || use.amount === 0) return [];
	const day = utcDayOf(ctx.clock.now());
	const isShared = ctx.network === STRANGERS;
	const network = isShared ? null : `network:${await signText(ctx.config.keys, PURPOSE, `${day} ${ctx.network}`)}`;
	return addUse(ctx, { ...use, day, cap, network });
}

/**
 * Counts a use in a commit of its own.
 *
 * @throws AppError `RATE_LIMITED` if a cap would be exceeded.
 */
export async function commitUse(ctx: PublicCtx, use: CappedUse): Promise<void> {
	await commit(ctx.db, await countUse(ctx, use));
}

const MAX_REMEMBERED = 10_000;
/**
 * The caps that a network has used up, each with the day and the error to throw. A cap stays used up until the day ends, so the database
 * need not be asked again.
 */
const usedUp = new Map<string, { readonly day: string; readonly refusal: AppError }>();

/**
 * Runs a commit that counts one use of a cap by the caller's network. Once the cap is used up, the isolate rejects requests without asking
 * the database, so that rejections put no load on it.
 *
 * @throws AppError `RATE_LIMITED` if the cap would be exceeded.
 */
export async function withinCap(ctx: PublicCtx, kind: NetworkCap, write: () => Promise<void>): Promise<void> {
	const day = utcDayOf(ctx.clock.now());
	const name = `${kind} ${ctx.config.networkCaps[kind]} ${ctx.network}`;
	const cached = usedUp.get(name);
	if (cached?.day === day) throw new AppError(cached.refusal.code, cached.refusal.facts);
	try {
		await write();
	} catch (error) {
		if (error instanceof AppError && error.facts.reason === "network_cap") {
			const [oldest] = usedUp.keys();
			if (usedUp.size >= MAX_REMEMBERED && oldest !== undefined) usedUp.delete(oldest);
			usedUp.set(name, { day, refusal: error });
		}
		throw error;
	}
}

/** Deletes the counts of all days before yesterday. Yesterday's are kept, because the clocks of isolates differ. */
export async function forgetNetworkDays(deps: Deps): Promise<void> {
	const beforeDay = utcDayOf(deps.clock.now() - DAY_MS);
	await forgetRows(deps.db, (limit) => deps.db.query.batch([deleteDays(deps, { beforeDay, limit })]));
}
