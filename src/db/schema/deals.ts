import { type SQL, sql } from "drizzle-orm";
import { check, index, integer, real, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { PAYOUT_CHAINS } from "../../domain/chains.ts";
import { DEAL_STATUSES } from "../../domain/deal-status.ts";
import { agents, PAYOUT_METHODS } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

export const DEAL_TYPES = ["output_purchase", "agent_hire"] as const;

/**
 * True for deals that have an exact amount to pay, and that can still be paid or are paid but not confirmed. Queries repeat it word for
 * word, so that SQLite uses the partial index.
 */
export const IS_OPEN_DEAL = sql.raw("status in ('recorded', 'accepted', 'paid') and pay_remainder is not null");

/** True for all deals except declined ones. Queries repeat it word for word, so that SQLite uses the partial index. */
const IS_STANDING = "status <> 'declined'";

/** @param deal The alias of the table `deals` in the query. */
export function isStandingDeal(deal = "deals"): SQL {
	return sql.raw(`${deal}.${IS_STANDING}`);
}

/** Deals between posters and agents after a task. Each task has at most one that is not declined. */
export const deals = sqliteTable(
	"deals",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id").notNull(),
		companyId: text("company_id")
			.notNull()
			.references(() => agents.id),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		/** A copy of the task's title, so that a page of deals need not read the tasks. The title never changes after publishing. */
		taskTitle: text("task_title").notNull().default(""),
		/** A deal about a test task is never counted, and its payment is not looked up. */
		isTest: integer("is_test", { mode: "boolean" }).notNull().default(false),
		dealType: text("deal_type", { enum: DEAL_TYPES }).notNull(),
		dealValueCents: integer("deal_value_cents").notNull(),
		platformFeeCents: integer("platform_fee_cents").notNull(),
		createdAt: integer("created_at").notNull(),
		status: text("status", { enum: DEAL_STATUSES }).notNull().default("recorded"),
		/** The reference with which the poster reported the payment. Null before that. */
		paymentReference: text("payment_reference"),
		/** The agent's wallet when the poster reported the payment, at `paidAt`. Null before that. */
		paidMethod: text("paid_method", { enum: PAYOUT_METHODS }),
		paidAddress: text("paid_address"),
		paidChain: text("paid_chain", { enum: PAYOUT_CHAINS }),
		paidWalletVerifiedAt: integer("paid_wallet_verified_at"),
		paidAt: integer("paid_at"),
		/**
		 * The transaction hash in the reference, in lower case. Null for other references, and after the transaction has turned out not to pay
		 * this deal.
		 */
		paymentTransaction: text("payment_transaction"),
		/**
		 * True once the payment is in a final block of its chain, and false once a final block shows that the transaction is not this payment.
		 * Null until then.
		 */
		paymentVerified: integer("payment_verified", { mode: "boolean" }),
		/** True if the payment is in a block that is not final yet. */
		isOnItsWay: integer("is_on_its_way", { mode: "boolean" }).notNull().default(false),
		/** The verified payment: net atomic units of USDC, the wallet, the chain and the time. All four are null until then. */
		seenUnits: text("seen_units"),
		seenAddress: text("seen_address"),
		seenChain: text("seen_chain", { enum: PAYOUT_CHAINS }),
		/** The time of the payment's block, in milliseconds since the epoch. */
		seenAt: integer("seen_at"),
		/** Why the payment is not verified. Null if there is nothing to say. */
		paymentNote: text("payment_note"),
		/** When the sweep will look up the transaction. Null if it will not. */
		checkDueAt: integer("check_due_at"),
		/** The number of lookups. Only the result of the latest one counts. */
		checks: integer("checks").notNull().default(0),
		/** The exact amount to pay is the value minus the fee, plus this number of atomic units. Null if every such amount was in use. */
		payRemainder: integer("pay_remainder"),
		/**
		 * The deal's steps and the wallets that it showed, as JSON. Entries are only added. They are in this row, so that a page of deals need
		 * not read a second table.
		 */
		history: text("history").notNull().default("[]"),
		/** When the windows for appeals and reviews began. Null for a deal that was recorded during the task's final round. */
		decidedAt: integer("decided_at"),
		/** How the newest review after the deal changed the agent's score. All three are null if no review did. */
		scoreFrom: real("score_from"),
		scoreTo: real("score_to"),
		scoreChangedAt: integer("score_changed_at"),
	},
	(table) => [
		check("deal_type", isOneOf("deal_type", DEAL_TYPES)),
		check("deal_value", sql`deal_value_cents >= 0 and platform_fee_cents >= 0`),
		check("deal_status", isOneOf("status", DEAL_STATUSES)),
		check("deal_seen", sql`payment_verified is not 1 or (seen_units is not null and seen_chain is not null and seen_at is not null)`),
		uniqueIndex("deals_standing").on(table.taskId).where(sql.raw(IS_STANDING)),
		// For the public log, which reads a task's deals page by page, newest first.
		index("deals_task").on(table.taskId, table.id),
		index("deals_company").on(table.companyId, table.id),
		index("deals_agent").on(table.agentId, table.id),
		// A transaction can pay only one deal. Only verified payments must be unique, because a poster can report any transaction.
		uniqueIndex("deals_payment")
			.on(table.paymentTransaction, table.seenChain)
			.where(sql`payment_transaction is not null and payment_verified = 1`),
		// No two open deals have the same amount to pay. This includes deals with different wallets, because agents can change their wallet.
		uniqueIndex("deals_pay_exactly").on(sql`(deal_value_cents - platform_fee_cents)`, table.payRemainder).where(IS_OPEN_DEAL),
		// For the start page, which shows the total that agents have received.
		index("deals_received").on(table.dealValueCents).where(sql`status = 'received'`),
		index("deals_check").on(table.checkDueAt).where(sql`check_due_at is not null`),
	],
);
