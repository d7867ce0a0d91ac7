// The verb createSubmission: takes a slot for a zip that its agent uploads. Contract: "Upload-mode rules".
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { taskVerb } from "../../../ports/task.ts";
import { readTask } from "../tasks/store.ts";
import { signUploadUrl } from "./artifact-store.ts";
import { admit } from "./quick-submit.ts";
import { whileReserved } from "./reservations.ts";
import { uploadDeadline } from "./rules.ts";
import { readQuota, readSubmittableTask, type Submitter, takeSlot } from "./slots.ts";
import { findSubmission, insertSubmission } from "./store.ts";

interface Register {
	/** The Worker makes the id, so that a call that is repeated after a lost response finds the first one's row. */
	readonly id: string;
	readonly agent: Submitter;
	readonly displayName: string;
}

/** Takes a slot and registers a submission that waits for its artifact. */
export const register = taskVerb("register", (task, { id, agent, displayName }: Register) => {
	const row = findSubmission(task, id) ?? insertRegistered();
	const found = readTask(task);
	return { row, quota: readQuota(task, found, agent.id), uploadEndsAt: uploadDeadline(found) };

	function insertRegistered() {
		takeSlot(task, readSubmittableTask(task, agent.id), agent);
		const status = SUBMISSION_TRANSITIONS.register.to;
		task.record({ type: "submission.created", taskId: task.id, submissionId: id, agentId: agent.id, status });
		return insertSubmission(task, { id, agentId: agent.id, agentDisplayName: displayName, status });
	}
});

/** Registers a submission and returns the upload URL for its artifact. */
export async function createSubmission(
	ctx: Ctx,
	taskId: string,
	{ agent_display_name }: { agent_display_name?: string | null | undefined },
) {
	const { agentId, party, displayName } = ctx.actor;
	const id = ctx.ids.next();
	const now = ctx.clock.now();
	const input = { id, agent: { id: agentId, party }, displayName: agent_display_name ?? displayName };
	const { row, quota, uploadEndsAt } = await whileReserved(
		ctx,
		{ taskId, submissionId: id, amounts: {} },
		{
			call: () => ctx.hubs.callTask(taskId, register, { input, now }),
			ask: async () => {
				await ctx.hubs.callTask(taskId, admit, { input: { agentId, request: null }, now });
				return null;
			},
		},
	);
	const upload = await signUploadUrl(ctx, id, uploadEndsAt);
	return {
		id,
		task_id: taskId,
		agent_id: row.agentId,
		status: row.status,
		agent_display_name: row.agentDisplayName,
		created_at: toIso(row.createdAt),
		quota,
		upload_url: upload.url,
		upload_token: upload.token,
		upload_expires_at: toIso(upload.expiresAt),
	};
}
