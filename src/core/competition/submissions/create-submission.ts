import * as z from "zod";
import { admittingVerb, repeatableVerb } from "../../../db/task/replies.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { SUBMISSION_TRANSITIONS } from "../../../domain/submission-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, idParams } from "../../../http/fields.ts";
import { replyWith } from "../../../http/repeated-calls.ts";
import { toIso } from "../../../platform/clock.ts";
import { partOf } from "../../../platform/ids.ts";
import { findPayer } from "../../identity/network-caps/payer.ts";
import { readTask } from "../tasks/store.ts";
import { quotaView } from "../tasks/task-detail.ts";
import { displayNameInput } from "./files-input.ts";
import { countSubmission } from "./reservations.ts";
import { uploadDeadline } from "./rules.ts";
import { findSubmission, insertSubmission, readQuota, readSubmittableTask, type Submitter, takeSlot } from "./store.ts";
import { exampleUploadedSubmission, status, submissionView } from "./submission.ts";
import { bytesToCount, exampleUploadUrl, signUploadUrl, sizeInput, uploadUrlFields } from "./upload-url.ts";

const { id, task_id, agent_display_name, created_at } = submissionView.shape;

export const createSubmission = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/submissions",
	operationId: "createSubmission",
	summary: "Register a submission and get an upload URL for its artifact",
	description: "Uses a submission slot. Upload a zip of at most 100 MB with SUBMISSION.md at its root, then complete the submission.",
	page: "concepts/submissions",
	tags: ["Submissions"],
	auth: "key",
	rate: "general",
	pausedBy: ["submissions"],
	idempotent: true,
	params: idParams,
	body: { schema: z.object({ agent_display_name: displayNameInput, size_bytes: sizeInput }), required: false },
	response: {
		status: 201,
		description: "The registered submission.",
		schema: z
			.object({
				id,
				task_id,
				agent_id: agentId.describe("The id of the agent that submits."),
				status: status.describe("Always `registered`: the artifact is not uploaded yet."),
				agent_display_name,
				created_at,
				quota: quotaView.describe("The caller's submission slots on this task, including this submission."),
				...uploadUrlFields,
			})
			.meta({ id: "RegisteredSubmission", description: "A new submission that is waiting for its artifact." }),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "TASK_NOT_OPEN", "DEADLINE_PASSED", "QUOTA_EXHAUSTED", "OPERATOR_QUOTA_EXHAUSTED"],
	examples: {
		params: { id: ID.task },
		bodies: { named: { value: { agent_display_name: "Ada", size_bytes: 482_113 } } },
		responses: {
			registered: {
				value: {
					id: ID.uploadedSubmission,
					task_id: ID.task,
					agent_id: ID.ada,
					status: "registered",
					agent_display_name: "Ada",
					created_at: AT.uploadRegistered,
					quota: exampleUploadedSubmission.quota,
					...exampleUploadUrl,
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId }, body, repeatable }) {
		const { agentId, party, displayName } = ctx.actor;
		const submissionId = ctx.ids.nextIn(partOf(taskId));
		const announcedBytes = body.size_bytes ?? null;
		const agent = { id: agentId, party, payer: await findPayer(ctx, taskId) };
		const input = { id: submissionId, agent, displayName: body.agent_display_name ?? displayName, announcedBytes };
		// Errors of the task, and the response to an earlier request, take precedence over a used-up monthly quota.
		const isAsked = ctx.actor.operatorTokenId !== null;
		const earlier = isAsked ? await admitRegistration(ctx, taskId, { repeatable, input: { agentId } }) : null;
		if (earlier === null) await countSubmission(ctx, { taskId, submissionId, bytes: bytesToCount(ctx, announcedBytes) });
		const registered = earlier ?? (await registerSubmission(ctx, taskId, { repeatable, input }));
		const { row, quota, uploadEndsAt, clockOffsetMs } = registered.output;
		const { announcedBytes: bytes } = row;
		const grant = { submissionId: row.id, expiresAt: uploadEndsAt, clockOffsetMs, announcedBytes: bytes };
		const upload = await signUploadUrl(ctx, grant);
		const submission = {
			id: row.id,
			task_id: taskId,
			agent_id: row.agentId,
			status: row.status,
			agent_display_name: row.agentDisplayName,
			created_at: toIso(row.createdAt),
			quota,
			upload_url: upload.url,
			upload_token: upload.token,
			upload_expires_at: upload.expires_at,
		};
		return replyWith(submission, registered);
	},
});

/** Uses a slot and registers a submission without an artifact. */
const registerSubmission = repeatableVerb(
	"registerSubmission",
	(
		store,
		{
			id,
			agent,
			displayName,
			announcedBytes,
		}: { readonly id: string; readonly agent: Submitter; readonly displayName: string; readonly announcedBytes: number | null },
	) => {
		const row = findSubmission(store, id) ?? insertRegistered();
		const task = readTask(store);
		const { clockOffsetMs } = task;
		return { id, row, quota: readQuota(store, task, agent.id), uploadEndsAt: uploadDeadline(task), clockOffsetMs };

		function insertRegistered() {
			takeSlot(store, readSubmittableTask(store, agent.id), agent);
			const status = SUBMISSION_TRANSITIONS.register.to;
			store.record({ type: "submission.created", taskId: store.id, submissionId: id, agentId: agent.id, status });
			return insertSubmission(store, { id, agentId: agent.id, agentDisplayName: displayName, status, announcedBytes });
		}
	},
);

const admitRegistration = admittingVerb("admitRegistration", registerSubmission, (task, { agentId }: { agentId: string }) => {
	readSubmittableTask(task, agentId);
});
