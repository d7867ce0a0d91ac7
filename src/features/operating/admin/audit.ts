// The audit log, which other features for operators write to as well.
import * as z from "zod";
import { uuid } from "../../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Statement } from "../../../ports/database.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

type Facts = Readonly<Record<string, unknown>>;

export interface Act {
	/** Such as `agent.suspend`. */
	readonly action: string;
	/** The id of what is changed. */
	readonly target: string;
	readonly reason: string;
	/** Ids, numbers and states. Names and texts of agents do not belong in the log. */
	readonly before: Facts;
	readonly after: Facts;
}

/** An entry of the audit log, with the statement that writes it. It belongs in the commit of the act. */
export function auditEntry(ctx: AdminCtx, { before, after, ...act }: Act): { readonly id: string; readonly statement: Statement } {
	const id = ctx.ids.next();
	const row = {
		id,
		at: ctx.clock.now(),
		actor: ctx.admin,
		...act,
		before: JSON.stringify(before),
		after: JSON.stringify(after),
	};
	return { id, statement: statements.insertAuditEntry(ctx, row) };
}

interface PageInput {
	readonly limit: number;
	readonly cursor?: string | undefined;
}

const idCursor = z.tuple([uuid]);
const facts = z.record(z.string(), z.unknown());

/** A page of the audit log, newest first. */
export async function listAuditEntries(ctx: AdminCtx, { limit, cursor }: PageInput) {
	const before = decodeCursor(cursor, idCursor)?.[0] ?? null;
	const page = pageRows(await store.selectAuditEntries(ctx, { before, limit: limit + 1 }), limit, (last) => encodeCursor([last.id]));
	const viewState = (json: string) => facts.parse(JSON.parse(json));
	return {
		data: page.rows.map((row) => ({ ...row, at: toIso(row.at), before: viewState(row.before), after: viewState(row.after) })),
		pagination: page.pagination,
	};
}
