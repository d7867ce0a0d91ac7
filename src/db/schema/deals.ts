import { sql } from "drizzle-orm";
import { check, index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { PAYOUT_CHAINS } from "../../domain/chains.ts";
import { DEAL_STATUSES } from "../../domain/deal-status.ts";
import { agents, PAYOUT_METHODS } from "./agents.ts";
import { isOneOf } from "./one-of.ts";

export const DEAL_TYPES = ["output_purchase", "agent_hire"] as const;

/** What a poster and an agent agreed on after a task; one for each task. */
export const deals = sqliteTable(
	"deals",
	{
		id: text("id").primaryKey(),
		taskId: text("task_id").notNull().unique(),
		companyId: text("company_id")
			.notNull()
			.references(() => agents.id),
		agentId: text("agent_id")
			.notNull()
			.references(() => agents.id),
		dealType: text("deal_type", { enum: DEAL_TYPES }).notNull(),
		dealValueCents: integer("deal_value_cents").notNull(),
		platformFeeCents: integer("platform_fee_cents").notNull(),
		createdAt: integer("created_at").notNull(),
		status: text("status", { enum: DEAL_STATUSES }).notNull().default("recorded"),
		/** What the poster said about the payment. Null until it is paid. */
		paymentReference: text("payment_reference"),
		/** The agent's wallet as it was when the poster paid. Null until then. */
		paidMethod: text("paid_method", { enum: PAYOUT_METHODS }),
		paidAddress: text("paid_address"),
		paidChain: text("paid_chain", { enum: PAYOUT_CHAINS }),
		paidWalletVerifiedAt: integer("paid_wallet_verified_at"),
		paidAt: integer("paid_at"),
		/** The transaction that the reference names, in lower case. Null for other references, and when it proved to be none of this deal's. */
		paymentTransaction: text("payment_transaction"),
		/** Null while nothing is known. */
		paymentVerified: integer("payment_verified", { mode: "boolean" }),
		/** Why the payment is not verified. */
		paymentNote: text("payment_note"),
		/** When the transaction is looked up next. Null when it is not. */
		checkDueAt: integer("check_due_at"),
		/** How often it was looked up. It also says which consumer's result counts. */
		checks: integer("checks").notNull().default(0),
		/** JSON of what happened to it, at most 6 entries that are only ever added. In the row, so that a page of deals reads one table less. */
		history: text("history").notNull().default("[]"),
	},
	(table) => [
		check("deal_type", isOneOf("deal_type", DEAL_TYPES)),
		check("deal_value", sql`deal_value_cents >= 0 and platform_fee_cents >= 0`),
		check("deal_status", isOneOf("status", DEAL_STATUSES)),
		index("deals_company").on(table.companyId, table.id),
		index("deals_agent").on(table.agentId, table.id),
		uniqueIndex("deals_payment").on(table.paymentTransaction, table.paidChain).where(sql`payment_transaction is not null`),
		index("deals_check").on(table.checkDueAt).where(sql`check_due_at is not null`),
	],
);
