import * as z from "zod";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { AppError } from "../../../domain/errors.ts";
import { AT } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { ADMIN_ACT, auditEntry, auditId, EXAMPLE_AUDIT_ID } from "./audit-entry.ts";
import { exampleReport, reportFields } from "./report.ts";
import { RESOLVE } from "./report-states.ts";
import { guardOpenReport, setResolvedAt } from "./statements.ts";
import { findReport } from "./store.ts";

const resolvedView = z
	.object({ id: reportFields.id, resolved_at: timestamp.describe("When the report was resolved."), audit_id: auditId })
	.meta({ id: "ResolvedReport", description: "A report that an operator has dealt with." });

export const resolveReport = endpoint({
	...ADMIN_ACT,
	path: "/api/admin/reports/{id}/resolve",
	operationId: "resolveReport",
	owner: "operating",
	summary: "Resolve a report",
	description:
		"Marks a report as resolved. Changes nothing else: take down the task or void the submission first. Returns CONFLICT if the report is already resolved.",
	response: { status: 200, description: "The report is resolved.", schema: resolvedView },
	errors: ["NOT_FOUND", "CONFLICT"],
	examples: {
		params: { id: exampleReport.id },
		bodies: { spam: { value: { reason: "The task is taken down." } } },
		responses: { resolved: { value: { id: exampleReport.id, resolved_at: AT.dealt, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	handle: (ctx, { params: { id }, body }) => decideAndCommit(ctx.db, () => resolve(ctx, id, body.reason)),
});

/** Resolves a report. If two operators act at the same time, the second gets `CONFLICT`, because the report is then resolved. */
async function resolve(ctx: AdminCtx, id: string, reason: string) {
	const report = await findReport(ctx, id);
	if (report === null) throw new AppError("NOT_FOUND", { message: "No report has this id. GET /api/admin/reports lists them." });
	if (report.resolvedAt !== null) {
		throw new AppError("CONFLICT", { message: `This report was resolved at ${toIso(report.resolvedAt)}. GET /api/admin/audit says why.` });
	}
	const now = ctx.clock.now();
	const audit = auditEntry(ctx, {
		action: RESOLVE,
		target: id,
		reason,
		before: { resolved_at: null },
		after: { resolved_at: toIso(now) },
	});
	await commit(ctx.db, [guardOpenReport(ctx, id), setResolvedAt(ctx, id, now), audit.statement]);
	return { id, resolved_at: toIso(now), audit_id: audit.id };
}
