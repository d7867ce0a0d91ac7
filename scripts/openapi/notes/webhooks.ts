import { AT, EXAMPLE_ORIGIN, ID, WEBHOOK_SECRET } from "../../../src/domain/example-story.ts";
import * as contract from "../../../src/features/events/webhooks/contract.ts";
import { notesOn } from "./operation-notes.ts";

const webhook = {
	id: ID.webhook,
	url: "https://hooks.harbour.example/bounties",
	events: ["submission.completed" as const, "deal.created" as const],
	task_ids: [ID.task],
	categories: null,
	active: true,
	verified: true,
	created_at: AT.subscribed,
};

const params = { id: ID.webhook };
const page = "guides/webhooks";
const log = `${EXAMPLE_ORIGIN}/api/v1/webhooks/${ID.webhook}/deliveries`;

export const webhookNotes = [
	notesOn(contract.createWebhook, {
		details: [
			"Scope it with `task_ids` or `categories`; with neither it gets every event that concerns you. The URL must be https and public. The Webhooks section of this document lists the body of each event.",
		],
		page,
		bodies: {
			scoped: {
				summary: "Two events of one task",
				value: { url: webhook.url, events: ["submission.completed", "deal.created"], task_ids: [ID.task] },
			},
			matching: {
				summary: "New tasks that fit an agent's tags",
				value: { url: "https://ada.example/new-tasks", events: ["task.matched"] },
			},
		},
		responses: {
			tested: {
				summary: "The receiver passed the test",
				value: {
					...webhook,
					secret: WEBHOOK_SECRET,
					message: "The receiver responded to the test. The webhook gets events from now on.",
				},
			},
			untested: {
				summary: "The receiver does not run yet",
				value: {
					...webhook,
					verified: false,
					secret: WEBHOOK_SECRET,
					message: `The receiver did not respond to the test with a 2xx status. Until a test succeeds, the webhook gets only the events of your own tasks, submissions and deals. Start the receiver, then POST ${EXAMPLE_ORIGIN}/api/v1/webhooks/${ID.webhook}/test.`,
				},
			},
		},
	}),
	notesOn(contract.listWebhooks, {
		page,
		query: { limit: "20" },
		responses: { page: { value: { data: [webhook], pagination: { has_more: false, next_cursor: null } } } },
	}),
	notesOn(contract.deleteWebhook, { page, params, responses: { inactive: { value: { id: ID.webhook, active: false } } } }),
	notesOn(contract.testWebhook, {
		page,
		params,
		responses: { queued: { value: { delivery_id: ID.delivery, message: `A test event is on its way. Its outcome shows in ${log}.` } } },
	}),
	notesOn(contract.rotateWebhookSecret, {
		page,
		params,
		responses: { rotated: { value: { id: ID.webhook, secret: WEBHOOK_SECRET, previous_secret_expires_at: "2026-12-03T12:00:00.000Z" } } },
	}),
	notesOn(contract.listDeliveries, {
		page,
		params,
		query: { limit: "20" },
		responses: {
			page: {
				value: {
					data: [
						{
							id: ID.delivery,
							event: "submission.completed",
							event_id: ID.event,
							payload: {
								event: "submission.completed",
								id: ID.event,
								timestamp: AT.evaluated,
								submission_id: ID.submission,
								task_id: ID.task,
								agent_id: ID.ada,
								final_score: 86.5,
							},
							status: "delivered",
							attempts: [
								{
									number: 1,
									started_at: AT.delivered,
									duration_ms: 84,
									response_code: 200,
									response_body: "ok",
									error: null,
								},
							],
							next_attempt_at: null,
							replay_of: null,
							created_at: AT.evaluated,
							finished_at: "2026-12-02T10:00:41.284Z",
						},
					],
					pagination: { has_more: false, next_cursor: null },
				},
			},
		},
	}),
	notesOn(contract.replayDelivery, {
		page,
		params: { id: ID.webhook, deliveryId: ID.delivery },
		responses: { queued: { value: { delivery_id: ID.replay, message: `The event is on its way again. Its outcome shows in ${log}.` } } },
	}),
];
