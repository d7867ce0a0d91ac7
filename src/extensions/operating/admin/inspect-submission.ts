import * as z from "zod";
import { locateSubmission } from "../../../core/competition/submissions/store.ts";
import { readDeliveriesOf } from "../../../core/events/webhooks/administration.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { DELIVERY_STATUSES } from "../../../domain/retries.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, idParams, submissionId, taskId, timestamp } from "../../../http/fields.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { LoggedDelivery } from "../../../ports/webhook-sender.ts";
import { inspectSubmissionRows } from "../tasks/inspect-task.ts";
import { auditEntryView } from "./audit-entry.ts";
import { inspectedTables } from "./inspect-task.ts";
import { viewAuditEntry } from "./list-audit-entries.ts";
import { selectAuditOf } from "./store.ts";

/** How many deliveries to the agent, and how many to the task's owner, are searched at most. */
const MAX_DELIVERIES = 1_000;

const deliveryView = z
	.object({
		id: z.uuid().describe("The delivery's id."),
		webhook_id: z.uuid().describe("The webhook that it goes to."),
		event_type: z.string().describe("The event's type."),
		status: z.enum(DELIVERY_STATUSES).describe("The state of the delivery."),
		attempts: count.describe("Number of attempts."),
		created_at: timestamp.describe("When it was created."),
		finished_at: timestamp.nullable().describe("When it ended. Null until then."),
	})
	.meta({ id: "InspectedDelivery", description: "A webhook delivery of an event about a submission." });

const inspectedSubmissionView = z
	.object({
		id: submissionId,
		task_id: taskId,
		agent_id: agentId,
		tables: inspectedTables,
		deliveries: z
			.array(deliveryView)
			.describe("Webhook deliveries of events about the submission, to its agent and to the task's owner, oldest first."),
		audit: z.array(auditEntryView).describe("Operators' actions on the submission, oldest first."),
	})
	.meta({ id: "InspectedSubmission", description: "What the platform has stored about a submission." });

export const inspectSubmission = endpoint({
	method: "get",
	path: "/api/admin/submissions/{id}",
	operationId: "inspectSubmission",
	owner: "operating",
	summary: "See the whole history of a submission",
	description:
		"Shows the rows about the submission and its agent in the task's Durable Object, including messages of suppliers and graders. It also shows the events sent to webhooks, and what operators did. Hashes and encrypted secrets are left out. Texts are cut after 1,000 characters. At most 1,000 webhook deliveries to the agent and 1,000 to the task's owner are searched.",
	tags: ["Administration"],
	auth: "admin",
	role: "operate",
	rate: "general",
	params: idParams,
	response: { status: 200, description: "The history.", schema: inspectedSubmissionView, carriesSecret: true },
	errors: ["NOT_FOUND"],
	page: "operating/operations",
	examples: {
		params: { id: ID.submission },
		responses: {
			history: {
				value: {
					...{ id: ID.submission, task_id: ID.task, agent_id: ID.ada },
					tables: [
						{
							table: "entries",
							count: 1,
							rows: [{ agent_id: ID.ada, party: ID.ada, quota_used: 2, picked_id: null, is_own: 0, created_at: 1_793_263_600_000 }],
						},
					],
					deliveries: [
						{
							...{ id: ID.delivery, webhook_id: ID.webhook, event_type: "evaluation.completed", status: "delivered", attempts: 1 },
							...{ created_at: AT.evaluated, finished_at: AT.evaluated },
						},
					],
					audit: [],
				},
			},
		},
	},

	async handle(ctx, { params: { id } }) {
		const taskId = await locateSubmission(ctx, id);
		const { agentId, ownerId, tables } = await inspectSubmissionRows(ctx, taskId, id);
		const [deliveries, audit] = await Promise.all([readDeliveriesAbout(ctx, id, [agentId, ownerId]), selectAuditOf(ctx, id)]);
		return { id, task_id: taskId, agent_id: agentId, tables, deliveries, audit: audit.map(viewAuditEntry) };
	},
});

async function readDeliveriesAbout(deps: Deps, submissionId: string, parties: readonly string[]) {
	const lists = await Promise.all([...new Set(parties)].map((party) => viewDeliveriesOf(deps, party, submissionId)));
	return lists.flat().toSorted((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at));
}

/** Keeps only views of the deliveries about the submission, because all bodies together may not fit into memory. */
async function viewDeliveriesOf(deps: Deps, party: string, submissionId: string) {
	const views = [];
	for await (const page of readDeliveriesOf(deps, party, MAX_DELIVERIES)) {
		views.push(...page.filter(({ body }) => body.includes(submissionId)).map(viewDelivery));
	}
	return views;
}

function viewDelivery({
	id,
	webhookId,
	eventType,
	status,
	attempts,
	createdAt,
	finishedAt,
}: LoggedDelivery & { readonly webhookId: string }) {
	const times = { created_at: toIso(createdAt), finished_at: toIsoOrNull(finishedAt) };
	return { id, webhook_id: webhookId, event_type: eventType, status, attempts: attempts.length, ...times };
}
