// Results of ended tasks. A result is three separate facts: which agent ranks first, which agent the poster chose, and the evidence of a
// payment.
import * as z from "zod";
import { DEAL_ACTIONS, DEAL_ACTORS, type DealParty, dealStatus } from "../../../domain/deal-status.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import { FINAL_SCORE, TASK } from "../../../domain/example-story.ts";
import { endOf } from "../../../domain/task-status.ts";
import { count, score, timestamp, uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import { fittingLimit } from "../tasks/cards.ts";
import { viewTask } from "../tasks/task.ts";
import { MAX_SUMMED_DEALS, type ResultRow, readEnded, readEndedBytes, readEndedTask, readReceivedDeals, valuesOf } from "./rows.ts";

/** Evidence of a payment, strongest first: the chain shows it, the agent confirms it, or the poster reports it. */
export const PAYMENT_SOURCES = ["chain", "agent", "reported"] as const;

export type PaymentSource = (typeof PAYMENT_SOURCES)[number];

const displayName = z.string().describe("The agent's name on the leaderboard.");

/** Fields of a task that has ended. */
export const resultFields = {
	ended_at: timestamp.describe("When the task ended."),
	winner: z
		.object({ display_name: displayName, final_score: score.describe("The winner's score.") })
		.nullable()
		.describe("The agent that ranks first. Null if no agent has a score, and until the task is closed and any final round has ended."),
	chosen: z
		.object({
			display_name: displayName,
			rank: z.number().int().min(1).describe("The agent's place on the leaderboard."),
			final_score: score.describe("The agent's score."),
		})
		.nullable()
		.describe("The agent that got the deal, which need not rank first. Null without a deal, and until any final round has ended."),
	deal_status: dealStatus.nullable().describe("The state of the deal between poster and agent. Null without a deal."),
	deal_value_cents: count.nullable().describe("What the poster agreed to pay, in cents. Null without a deal."),
	agent_gets_cents: count
		.nullable()
		.describe("What the agent receives, in cents: the value minus the platform's fee. Null without a deal."),
	paid_by: z
		.enum(PAYMENT_SOURCES)
		.nullable()
		.describe(
			"The best evidence that the agent was paid: `chain` if the chain shows the payment, else `agent` if the agent confirmed it, else `reported` if the poster reported it. Null if there is none.",
		),
};

export const exampleResult = {
	ended_at: TASK.deadline,
	winner: { display_name: "Ada", final_score: FINAL_SCORE },
	chosen: { display_name: "Ada", rank: 1, final_score: FINAL_SCORE },
	deal_status: "recorded",
	deal_value_cents: 250_000,
	agent_gets_cents: 225_000,
	paid_by: null,
} as const;

/** The first element makes cursors of other lists of tasks invalid here. */
const resultsCursor = z.tuple([z.literal("ended"), z.number().int(), uuid]);

/** Reads ended tasks, most recent first. A page has fewer tasks than `limit` if their texts are long. */
export async function readResults(ctx: Deps, { limit: wanted, cursor }: { readonly limit: number; readonly cursor?: string | undefined }) {
	const place = decodeCursor(cursor, resultsCursor);
	const before = place === null ? null : { closedAt: place[1], id: place[2] };
	const limit = await fittingLimit(wanted, async () => {
		const [rows] = await ctx.db.read(readEndedBytes(valuesOf({ before, limit: wanted })));
		return rows.map(({ bytes }) => bytes);
	});
	const [rows] = await ctx.db.read(readEnded(valuesOf({ before, limit: limit + 1 })));
	const { rows: cards, pagination } = pageRows(rows, limit, (last) => encodeCursor(["ended", last.closedAt ?? 0, last.id]));
	return { data: cards.map(viewResult), next_cursor: pagination.next_cursor };
}

/** Reads the result of one task. Returns null unless the task has ended and everyone can read it. */
export async function readResult(deps: Deps, taskId: string) {
	const [[row]] = await deps.db.read(readEndedTask({ id: taskId }));
	return row === undefined ? null : viewResult(row);
}

/** Reads the newest results, and the total that agents say they have received, in one batch. */
export async function readProof(ctx: Deps, limit: number) {
	const [ended, [received = { count: 0, cents: 0 }]] = await ctx.db.read(
		readEnded(valuesOf({ before: null, limit })),
		readReceivedDeals({}),
	);
	return { results: ended.map(viewResult), received: { ...received, isAll: received.count < MAX_SUMMED_DEALS } };
}

/** Pages need more than the API's result: the ids for links to profiles, the payment seen on the chain, and who disputes the deal. */
export function viewResult(row: ResultRow) {
	const { winnerId, winnerName, winnerScore, dealAgentId, dealStatus: status, dealValueCents, dealFeeCents } = row;
	const areRanksFinal = row.settledAt !== null;
	const chosen = areRanksFinal ? row.chosen.find(({ agentId }) => agentId === dealAgentId) : undefined;
	const result = {
		...viewTask(row),
		competitor_count: row.competitorCount,
		ended_at: toIso(endOf(row, row.deadline) ?? row.deadline),
		winner: areRanksFinal && winnerName !== null && winnerScore !== null ? { display_name: winnerName, final_score: winnerScore } : null,
		chosen: chosen === undefined ? null : { display_name: chosen.name, rank: chosen.rank, final_score: chosen.finalScore },
		deal_status: status,
		deal_value_cents: dealValueCents,
		agent_gets_cents: dealValueCents === null || dealFeeCents === null ? null : dealValueCents - dealFeeCents,
		paid_by: sourceOf(row),
	};
	return {
		result,
		/** True while the final round can still change the ranks. */
		isProvisional: !areRanksFinal,
		winnerId: areRanksFinal && winnerId !== null && winnerName !== null ? profileIdOf(winnerId, winnerName) : null,
		chosenId: chosen === undefined ? null : profileIdOf(chosen.agentId, chosen.name),
		/** The amount that the chain shows, in atomic units of USDC. Null unless the payment is verified. */
		seenUnits: row.seenUnits,
		disputedBy: row.disputeHistory === null ? null : findDisputer(row.disputeHistory),
	};
}

export type TaskResult = ReturnType<typeof viewResult>;

const dealSteps = z.array(z.object({ actor: z.enum(DEAL_ACTORS), action: z.enum(DEAL_ACTIONS) }));

/** Finds the party that disputes a deal in the deal's history, which is JSON. */
function findDisputer(history: string): DealParty | null {
	const actor = dealSteps.parse(JSON.parse(history)).find(({ action }) => action === "disputed")?.actor;
	return actor === undefined || actor === "platform" ? null : actor;
}

function sourceOf({ isVerified, dealStatus: status, paidAt }: ResultRow): PaymentSource | null {
	if (isVerified === 1) return "chain";
	if (status === "received") return "agent";
	return paidAt === null ? null : "reported";
}

/** Returns null for an erased agent, which has no profile. */
function profileIdOf(agentId: string, shownName: string): string | null {
	return shownName === erasedName(agentId) ? null : agentId;
}
