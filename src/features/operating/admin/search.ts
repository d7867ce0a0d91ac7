// Filling the search index again from the directory, for an index that was lost or has missed changes.
import type * as z from "zod";
import { commit } from "../../../db/commit.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { rebuildIndex } from "../../competition/search/rebuild-index.ts";
import { auditEntry } from "./audit.ts";
import type { rebuildRequest } from "./schemas.ts";

/** Takes one step. The first one empties the index, and is in the audit log. */
export async function rebuildSearch(ctx: AdminCtx, { reason, after }: z.output<typeof rebuildRequest>) {
	if (after === undefined) {
		const act = { action: "search.rebuild", target: "search", reason, before: {}, after: {} };
		await commit(ctx.db, [auditEntry(ctx, act).statement]);
	}
	const place = after === undefined ? null : { publishedAt: after.published_at, id: after.task_id };
	const { added, last } = await rebuildIndex(ctx, place);
	const indexed = (after?.indexed_tasks ?? 0) + added;
	return {
		indexed_tasks: indexed,
		last: last === null ? null : { published_at: last.publishedAt, task_id: last.id, indexed_tasks: indexed },
	};
}
