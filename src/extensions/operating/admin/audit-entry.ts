// Writes operators' actions to the audit log.
import * as z from "zod";
import { commit } from "../../../db/commit.ts";
import { idParams, text, timestamp } from "../../../http/fields.ts";
import type { Statement } from "../../../ports/database.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { insertAuditEntry } from "./statements.ts";

export const reason = text({ min: 1, max: 500 }).describe("The reason. It stays in the audit log, so do not include names of people.");

export const actRequest = z.object({ reason }).meta({ id: "AdminActRequest", description: "The operator's reason." });

/** The common parts of endpoints through which operators act on an agent, a task or a submission. */
export const ADMIN_ACT = {
	method: "post",
	tags: ["Administration"],
	auth: "admin",
	role: "moderate",
	rate: "general",
	params: idParams,
	body: { schema: actRequest, required: true },
	page: "operating/administration",
} as const;

export const exampleBodies = { spam: { value: { reason: "It advertises a shop." } } };

export const auditId = z.uuid().describe("The id of the entry in the audit log.");
export const EXAMPLE_AUDIT_ID = "01a25a10-5b40-7c11-8a6e-0d6f2c1b9a70";

const state = z.record(z.string(), z.unknown());

export const auditEntryView = z
	.object({
		id: auditId,
		at: timestamp.describe("When it was done."),
		actor: z
			.string()
			.describe(
				"Who did it: `admin:` followed by the name of the admin token, or by the start of its SHA-256 if it has no name. `command` if a command changed the database directly.",
			),
		action: z.string().describe("What was done, such as `agent.suspend`."),
		target: z.string().describe("The id of what was changed, or `switches`, `ceilings`, `reports`, `search` or `directory`."),
		reason: z.string().describe("Why."),
		before: state.describe("What was changed, as it was before."),
		after: state.describe("What was changed, as it was after."),
	})
	.meta({ id: "AuditEntry", description: "An action by an operator of the platform. Contains ids but no names." });

interface AuditFacts {
	/** A name such as `agent.suspend`. */
	readonly action: string;
	/** The id of what the action changes. */
	readonly target: string;
	readonly reason: string;
	/** Ids, numbers and states. Agents' names and what they wrote do not belong in the log. */
	readonly before: object;
	readonly after: object;
}

/** Builds an entry of the audit log, with the statement that writes it in the same commit as the action. */
export function auditEntry(ctx: AdminCtx, { before, after, ...act }: AuditFacts): { readonly id: string; readonly statement: Statement } {
	const id = ctx.ids.next();
	const row = {
		id,
		at: ctx.clock.now(),
		actor: ctx.admin,
		...act,
		before: JSON.stringify(before),
		after: JSON.stringify(after),
	};
	return { id, statement: insertAuditEntry(ctx, row) };
}

/** Records that an operator reads data about agents. The entry is written before the response. */
export async function recordReading(ctx: AdminCtx, { action, target }: Pick<AuditFacts, "action" | "target">): Promise<void> {
	const { statement } = auditEntry(ctx, { action, target, reason: "Read through the API.", before: {}, after: {} });
	await commit(ctx.db, [statement]);
}

/** Creates an audit entry that a task's object writes together with the change. */
export function newAct(ctx: AdminCtx, reason: string) {
	return { id: ctx.ids.next(), actor: ctx.admin, reason };
}
