// This file looks up whether a poster's wallet covers what the poster has announced. Contract: additions, "Funds".
import { and, eq, sql } from "drizzle-orm";
import * as z from "zod";
import { agents, posterFunds } from "../../../db/schema/agents.ts";
import { type TaskRow, tasks } from "../../../db/task/schema/task.ts";
import { type PayoutChain, USDC_UNITS_PER_CENT } from "../../../domain/chains.ts";
import { timestamp } from "../../../http/fields.ts";
import { MINUTE_MS, toIso } from "../../../platform/clock.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { provenAddress } from "../../identity/wallet/rules.ts";
import { readUsdcBalance } from "../../identity/wallet/usdc-balance.ts";
import { payoutChain } from "../../identity/wallet/wallet.ts";

/** A wallet is looked up at most once in this time, also when its node fails. */
const PERIOD_MS = 10 * MINUTE_MS;

export const fundsView = z
	.object({
		chain: payoutChain.describe("The chain of the poster's wallet."),
		checked_at: timestamp.describe("When the wallet was read."),
		covers_budget: z.boolean().describe("Whether the wallet's USDC covers the budgets of all running tasks of the poster."),
	})
	.meta({
		id: "Funds",
		description: "What the poster's proven wallet had when it was read, at most every 10 minutes. It is a reading and promises nothing.",
	});

/** A task that does not run shows no funds. */
export function viewFunds({ funds, status }: Pick<TaskRow, "funds" | "status">) {
	if (funds === null || !isRunning(status)) return null;
	return { chain: funds.chain, checked_at: toIso(funds.checkedAt), covers_budget: funds.covers };
}

const isRunning = (status: TaskRow["status"]): boolean => status === "open" || status === "evaluating";

/**
 * Reads the funds anew after a response that showed a reading of more than 10 minutes ago. Failures are only logged, because no reader
 * waits for this.
 */
export function refreshFunds(deps: Deps, task: Pick<TaskRow, "id" | "companyId" | "status" | "fundsNotedAt">): void {
	const hasNodes = Object.values(deps.config.walletRpcUrls).some((url) => url !== null);
	if (!hasNodes || !isRunning(task.status) || task.fundsNotedAt > deps.clock.now() - PERIOD_MS) return;
	deps.background(
		noteReading(deps, task).catch((error: unknown) => deps.log.error("funds_not_read", { task_id: task.id, ...describeError(error) })),
	);
}

async function noteReading(deps: Deps, { id, companyId }: Pick<TaskRow, "id" | "companyId">): Promise<void> {
	const funds = await readFunds(deps, companyId);
	await noteFunds(deps, id, { funds });
}

/** Keeps a reading for responses. The task does not change, so neither its card nor its streams follow. */
const noteFunds = taskVerb("noteFunds", (task, { funds }: { funds: TaskRow["funds"] }): void => {
	task.db.update(tasks).set({ funds, fundsNotedAt: task.now }).run();
});

async function readFunds(deps: Deps, companyId: string): Promise<TaskRow["funds"]> {
	const { payoutAddress, payoutChain: walletChain, walletVerifiedAt, walletProof } = agents;
	const [[wallet], [running]] = await deps.db.query.batch([
		deps.db.query
			.select({ payoutAddress, payoutChain: walletChain, walletVerifiedAt, walletProof })
			.from(agents)
			.where(eq(agents.id, companyId)),
		deps.db.query
			.select({ cents: sql<number>`coalesce(sum(budget_cents), 0)`.as("cents") })
			.from(sql`task_cards`)
			.where(sql`company_id = ${companyId} and status in ('open', 'evaluating')`),
	]);
	const chain = wallet?.payoutChain ?? null;
	const address = wallet === undefined || chain === null ? null : provenAddress(wallet, chain);
	if (chain === null || address === null || deps.config.walletRpcUrls[chain] === null) return null;
	const now = deps.clock.now();
	if (await claimReading(deps, { agentId: companyId, chain, address: address.toLowerCase(), now })) {
		const balance = await readUsdcBalance(deps, chain, address);
		if (balance !== null) {
			await deps.db.idempotent
				.update(posterFunds)
				.set({ balance: String(balance), checkedAt: now })
				.where(and(eq(posterFunds.agentId, companyId), eq(posterFunds.claimedAt, now)));
		}
	}
	const [known] = await deps.db.query.select().from(posterFunds).where(eq(posterFunds.agentId, companyId));
	if (known === undefined || known.balance === null || known.checkedAt === null) return null;
	if (known.chain !== chain || known.address !== address.toLowerCase()) return null;
	return { chain, checkedAt: known.checkedAt, covers: BigInt(known.balance) >= BigInt(running?.cents ?? 0) * USDC_UNITS_PER_CENT };
}

/** Returns true for one of several callers in 10 minutes. A reading of another wallet is forgotten. */
async function claimReading(
	deps: Deps,
	{
		agentId,
		chain,
		address,
		now,
	}: { readonly agentId: string; readonly chain: PayoutChain; readonly address: string; readonly now: number },
): Promise<boolean> {
	const claim = { claimedAt: now, chain, address };
	const isSame = sql`chain = ${chain} and address = ${address}`;
	const claimed = await deps.db.query
		.insert(posterFunds)
		.values({ agentId, ...claim })
		.onConflictDoUpdate({
			target: posterFunds.agentId,
			set: { ...claim, balance: sql`case when ${isSame} then balance end`, checkedAt: sql`case when ${isSame} then checked_at end` },
			setWhere: sql`claimed_at <= ${now - PERIOD_MS}`,
		})
		.returning({ agentId: posterFunds.agentId });
	return claimed.length > 0;
}
