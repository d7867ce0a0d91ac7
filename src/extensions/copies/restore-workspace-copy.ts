import * as z from "zod";
import { commit } from "../../db/commit.ts";
import { AppError } from "../../domain/errors.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { agentId, count, idParams, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import { actRequest, auditEntry, auditId, EXAMPLE_AUDIT_ID } from "../operating/admin/audit-entry.ts";
import { copyFolder, findManifest, readStoredPage } from "./manifest.ts";
import { workspaceCopyPrefix } from "./workspace-copies.ts";

const REFUSALS = {
	NOT_EMPTY: "The workspace is not empty, so it cannot be restored from a copy.",
	UNKNOWN_TABLE: "A later version of the platform made the copy. Deploy that version first.",
	ERASED: "The agent was erased.",
} as const;

export const restoreWorkspaceCopy = endpoint({
	method: "post",
	path: "/api/admin/agents/{id}/restore-copy",
	operationId: "restoreWorkspaceCopy",
	owner: "copies",
	summary: "Restore a lost workspace from its copy",
	description:
		"Restores an empty workspace and the agent's inbox from the newest copy in the bucket. The content of files is not part of the copy, because it never left the bucket. Returns CONFLICT if the workspace is not empty, if the agent was erased, or if a later version of the platform made the copy. Returns NOT_FOUND if there is no complete copy.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	params: idParams,
	body: { schema: actRequest, required: true },
	response: {
		status: 200,
		description: "The workspace is restored.",
		schema: z
			.object({
				id: agentId,
				copied_at: timestamp.describe("When the copied state was current."),
				rows: count.describe("Number of restored rows."),
				audit_id: auditId,
			})
			.meta({ id: "RestoredWorkspace", description: "A restored workspace." }),
	},
	errors: ["NOT_FOUND", "CONFLICT"],
	page: "operating/backup",
	examples: {
		params: { id: ID.ada },
		bodies: { lost: { value: { reason: "The account was lost." } } },
		responses: { restored: { value: { id: ID.ada, copied_at: AT.dealt, rows: 64, audit_id: EXAMPLE_AUDIT_ID } } },
	},

	async handle(ctx, { params: { id }, body: { reason } }) {
		const prefix = workspaceCopyPrefix(id);
		const manifest = await findManifest(ctx.bucket, prefix);
		if (manifest === null) throw new AppError("NOT_FOUND", { message: "The bucket has no complete copy of this workspace." });
		const folder = copyFolder(prefix, manifest.revision);
		const pages = await Promise.all(
			manifest.pages.map(async (page) => ({ table: page.table, bytes: await readStoredPage(ctx.bucket, folder, page) })),
		);
		const copy = { copy_id: manifest.revision, copied_at: toIso(manifest.copied_at) };
		const audit = auditEntry(ctx, { action: "agent.restore_copy", target: id, reason, before: {}, after: copy });
		await commit(ctx.db, [audit.statement]);
		const tables = manifest.tables.map(({ name }) => name);
		const restored = await ctx.hubs.callWorkspace(id, (workspace) => workspace.restoreCopy({ tables, pages, schema: manifest.schema }));
		if ("refused" in restored) throw new AppError("CONFLICT", { message: REFUSALS[restored.refused] });
		return { id, copied_at: copy.copied_at, rows: restored.rows, audit_id: audit.id };
	},
});
