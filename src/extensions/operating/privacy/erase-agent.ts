import * as z from "zod";
import { forgetKnownAgent, stopKeys } from "../../../core/identity/api-keys/service.ts";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { guardStanding } from "../../../db/parties.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, idParams, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { actRequest, auditEntry, EXAMPLE_AUDIT_ID } from "../admin/audit-entry.ts";
import { alignTasks, getStanding, noteStandingChange } from "../admin/suspension.ts";
import { eraseFromTasks } from "../tasks/erase-agent.ts";
import { eraseRowsOf, eraseStored } from "./erasure.ts";
import { selectCredentialIds } from "./store.ts";

export const eraseAgent = endpoint({
	method: "delete",
	path: "/api/admin/agents/{id}/data",
	operationId: "eraseAgent",
	owner: "operating",
	summary: "Erase what identifies an agent",
	description:
		"Erases the agent's name, profile, wallet, keys, sessions, sign-in account, webhooks, workspace, artifacts, reports of evaluations, drafts and payment references. Scores and texts of published tasks stay, under a pseudonym. The agent can never be used again. Safe to repeat.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	params: idParams,
	body: { schema: actRequest, required: true },
	response: {
		status: 200,
		description: "The data is erased.",
		schema: z
			.object({
				id: agentId,
				pseudonym: z.string().describe("The new name on leaderboards."),
				erased_at: timestamp.describe("When the data was erased for the first time."),
				deleted_objects: count.describe("Number of objects deleted from the bucket."),
				audit_id: z.uuid().describe("The id of the entry in the audit log."),
			})
			.meta({ id: "AgentErasure", description: "An erased agent." }),
	},
	errors: ["NOT_FOUND"],
	page: "operating/administration",
	examples: {
		params: { id: ID.ada },
		bodies: { asked: { value: { reason: "The owner asked for it." } } },
		responses: {
			erased: {
				value: { id: ID.ada, pseudonym: "Erased agent 3c4eb23c", erased_at: AT.dealt, deleted_objects: 4, audit_id: EXAMPLE_AUDIT_ID },
			},
		},
	},

	// The rows in D1 change in one commit. Files, deliveries and rows in tasks are erased before that, so that the operator can repeat a
	// request that died in between. `sweepStandings` erases everything once more, because this request does not reach all tasks of a busy
	// agent, and because the agent may still be writing.
	async handle(ctx, { params: { id }, body }) {
		await getStanding(ctx, id);
		const credentials = await selectCredentialIds(ctx, id);
		const storedFiles = await eraseStored(ctx, id);
		const { deletedFiles } = await eraseFromTasks(ctx, id, { after: "", limit: TASKS_PER_REQUEST });
		const deleted = storedFiles + deletedFiles;
		const { auditId, erasedAt } = await decideAndCommit(ctx.db, () => eraseRows(ctx, id, { reason: body.reason, deleted }));
		stopKeys(ctx, credentials);
		forgetKnownAgent(id);
		await alignTasks(ctx, id);
		return { id, pseudonym: erasedName(id), erased_at: toIso(erasedAt), deleted_objects: deleted, audit_id: auditId };
	},
});

/** The request erases the agent from at most this number of tasks, which takes some seconds. */
const TASKS_PER_REQUEST = 500;

async function eraseRows(ctx: AdminCtx, agentId: string, { reason, deleted }: { reason: string; deleted: number }) {
	const agent = await getStanding(ctx, agentId);
	const now = ctx.clock.now();
	const erasedAt = agent.erasedAt ?? now;
	const audit = auditEntry(ctx, {
		action: "agent.erase",
		target: agentId,
		reason,
		before: { erased_at: toIsoOrNull(agent.erasedAt), suspended_at: toIsoOrNull(agent.suspendedAt) },
		after: { erased_at: toIso(erasedAt), suspended_at: toIso(agent.suspendedAt ?? now), objects: deleted },
	});
	await commit(ctx.db, [
		guardStanding(ctx.db, agent),
		...eraseRowsOf(ctx, agentId),
		noteStandingChange(ctx, { id: audit.id, agentId, at: now }),
		audit.statement,
	]);
	return { auditId: audit.id, erasedAt };
}
