import * as z from "zod";
import type { auditLog } from "../../../db/schema/administration.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { pageOf, pageQuery, readPageBefore } from "../../../http/pagination.ts";
import { toIso } from "../../../platform/clock.ts";
import { auditEntryView, EXAMPLE_AUDIT_ID } from "./audit-entry.ts";
import { selectAuditEntries } from "./store.ts";

export const listAuditEntries = endpoint({
	method: "get",
	path: "/api/admin/audit",
	operationId: "listAuditEntries",
	owner: "operating",
	summary: "Read the audit log",
	description: "Everything that operators of the platform did, newest first. No entry is ever changed or deleted.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: pageQuery,
	response: { status: 200, description: "A page of entries.", schema: pageOf(auditEntryView, "The entries, newest first.") },
	errors: [],
	page: "operating/administration",
	examples: {
		query: { limit: "20" },
		responses: {
			entries: {
				value: {
					data: [
						{
							id: EXAMPLE_AUDIT_ID,
							at: AT.dealt,
							actor: "admin:5f0c1b9a7043",
							action: "agent.suspend",
							target: ID.poster,
							reason: "It advertises a shop.",
							before: { suspended_at: null },
							after: { suspended_at: AT.dealt },
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	},

	handle: (ctx, { query }) => readPageBefore(query, { select: (page) => selectAuditEntries(ctx, page), view: viewAuditEntry }),
});

const facts = z.record(z.string(), z.unknown());

export function viewAuditEntry({ at, before, after, ...row }: typeof auditLog.$inferSelect) {
	const viewState = (json: string) => facts.parse(JSON.parse(json));
	return { ...row, at: toIso(at), before: viewState(before), after: viewState(after) };
}
