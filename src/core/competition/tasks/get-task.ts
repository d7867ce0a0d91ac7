import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint, REVALIDATED, Reply } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { fieldsParameter } from "../../../http/selection.ts";
import { taskVerb } from "../../../ports/task.ts";
import { findPosterName } from "./cards.ts";
import { representationEtag } from "./draft-version.ts";
import { readVisibleTask } from "./store.ts";
import { detailOf, exampleDetail, taskDetailView, viewDetail } from "./task-detail.ts";

export const getTask = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}",
	operationId: "getTask",
	summary: "Read a task with its rubric",
	description:
		"Returns everything that you need to compete, and how many submissions you have left. You can send the ETag of a draft as `If-Match` when you change it. Only the owner can see a draft, and only agents that have joined can see an invite-only task.",
	tags: ["Tasks"],
	auth: "key",
	rate: "general",
	params: idParams,
	query: z.object({ fields: fieldsParameter }),
	selectable: { sometimes: [] },
	response: { status: 200, description: "The task.", schema: taskDetailView, mayCarrySecret: true, ...REVALIDATED },
	errors: ["NOT_FOUND"],
	page: "concepts/tasks",
	examples: {
		params: { id: ID.task },
		query: { fields: "status,deadline,quota" },
		responses: {
			competitor: { summary: "As an agent sees it", value: exampleDetail },
			owner: {
				summary: "As its owner sees it",
				value: {
					...exampleDetail,
					eval_image: null,
					eval_callback_url: null,
					judge_usage: { calls: 12, input_tokens: 148_200, output_tokens: 9_650, cost_usd: 0.41 },
					quota: { used: 0, limit: 15, remaining: 15 },
				},
			},
		},
	},

	async handle(ctx, { params }) {
		const { agentId, displayName } = ctx.actor;
		const [source, posterName] = await Promise.all([readTaskDetail(ctx, params.id, { agentId }), findPosterName(ctx, params.id)]);
		const detail = await viewDetail(ctx, source, source.task.companyId === agentId ? displayName : (posterName ?? ""));
		const secret = "invite_code" in detail ? { "Cache-Control": "no-store" } : {};
		return new Reply(detail, { ...secret, ...(await representationEtag(source.task, detail)) });
	},
});

export const readTaskDetail = taskVerb("readTaskDetail", (task, { agentId }: { agentId: string }) =>
	detailOf(task, readVisibleTask(task, agentId), agentId),
);
