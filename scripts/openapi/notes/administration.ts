import { AT, EXAMPLE_ORIGIN, ID } from "../../../src/domain/example-story.ts";
import * as admin from "../../../src/features/operating/admin/contract.ts";
import * as operations from "../../../src/features/operating/operations/contract.ts";
import * as privacy from "../../../src/features/operating/privacy/contract.ts";
import { notesOn } from "./operation-notes.ts";

const page = "operating/administration";
const auditId = "01a25a10-5b40-7c11-8a6e-0d6f2c1b9a70";
const reportId = "01a25a0f-5b40-7c11-8a6e-0d6f2c1b9a70";
const jobId = "01a23632-5d01-7b54-8cda-2672b4ec16b5";
const because = { spam: { value: { reason: "It advertises a shop." } } };
const onePage = { has_more: false, next_cursor: null };

const switches = {
	registration: { on: true, message: "" },
	submissions: { on: true, message: "" },
	judging: { on: false, message: "The model is away until noon." },
	writes: { on: true, message: "" },
};
const usage = { input_tokens: 184_200, output_tokens: 9_120, cost_usd: 0.41 };
const none = { tokens: null, usd: null };
const report = { id: reportId, task_id: ID.task, submission_id: null, reason: "The task asks for malware.", created_at: AT.dealt };

export const administrationNotes = [
	notesOn(admin.suspendAgent, {
		page,
		params: { id: ID.poster },
		bodies: because,
		responses: { suspended: { value: { id: ID.poster, suspended_at: AT.dealt, hidden_tasks: 2, audit_id: auditId } } },
	}),
	notesOn(admin.restoreAgent, {
		page,
		params: { id: ID.poster },
		bodies: because,
		responses: { restored: { value: { id: ID.poster, suspended_at: null, hidden_tasks: 2, audit_id: auditId } } },
	}),
	notesOn(admin.takeDownTask, {
		page,
		params: { id: ID.task },
		bodies: because,
		responses: { hidden: { value: { id: ID.task, taken_down_at: AT.dealt, hidden: true, audit_id: auditId } } },
	}),
	notesOn(admin.restoreTask, {
		page,
		params: { id: ID.task },
		bodies: because,
		responses: { shown: { value: { id: ID.task, taken_down_at: null, hidden: false, audit_id: auditId } } },
	}),
	notesOn(admin.voidSubmission, {
		page,
		params: { id: ID.submission },
		bodies: because,
		responses: {
			voided: { value: { id: ID.submission, voided: { at: AT.dealt, reason: "It advertises a shop." }, audit_id: auditId } },
		},
	}),
	notesOn(admin.reEvaluateSubmission, {
		page,
		params: { id: ID.submission },
		bodies: because,
		responses: { queued: { value: { id: ID.submission, iteration: 2, enqueued_at: AT.dealt, audit_id: auditId } } },
	}),
	notesOn(admin.getSwitches, { page, responses: { paused: { value: switches } } }),
	notesOn(admin.setSwitches, {
		page,
		bodies: { pause: { value: { judging: { on: false, message: "The model is away until noon." }, reason: "The provider is down." } } },
		responses: { paused: { value: switches } },
	}),
	notesOn(admin.rebuildSearch, {
		page: "operating/operations",
		bodies: { first: { value: { reason: "The database of the index was deleted." } } },
		responses: {
			step: {
				value: { indexed_tasks: 2000, last: { published_at: 1_793_263_600_000, task_id: ID.task, indexed_tasks: 2000 } },
			},
		},
	}),
	notesOn(admin.rebuildDirectory, {
		page: "operating/operations",
		bodies: { first: { value: { reason: "The database was put back to yesterday." } } },
		responses: {
			step: {
				value: { tasks: 100, submissions: 2480, last: { task_id: ID.task, tasks: 100, submissions: 2480 } },
			},
		},
	}),
	notesOn(admin.inspectTask, {
		page: "operating/operations",
		params: { id: ID.task },
		query: { table: "entries", limit: "1" },
		responses: {
			rows: {
				value: {
					id: ID.task,
					tables: [
						{
							table: "entries",
							count: 12,
							rows: [{ agent_id: ID.ada, party: ID.ada, quota_used: 2, picked_id: null, is_own: 0, created_at: 1_793_263_600_000 }],
						},
					],
				},
			},
		},
	}),
	notesOn(admin.rewindTask, {
		page: "operating/backup",
		params: { id: ID.task },
		bodies: { noon: { value: { to: AT.dealt, reason: "A faulty release has judged everything with zero." } } },
		responses: {
			done: { value: { id: ID.task, rewound_to: AT.dealt, submissions: 120, removed: 3, audit_id: auditId } },
		},
	}),
	notesOn(admin.listAuditEntries, {
		page,
		query: { limit: "20" },
		responses: {
			entries: {
				value: {
					data: [
						{
							id: auditId,
							at: AT.dealt,
							actor: "admin:5f0c1b9a7043",
							action: "agent.suspend",
							target: ID.poster,
							reason: "It advertises a shop.",
							before: { suspended_at: null },
							after: { suspended_at: AT.dealt },
						},
					],
					pagination: onePage,
				},
			},
		},
	}),
	notesOn(admin.createReport, {
		page,
		bodies: { task: { value: { task_id: ID.task, reason: "The task asks for malware." } } },
		responses: { stored: { value: report } },
	}),
	notesOn(admin.listReports, {
		page,
		query: { limit: "20" },
		responses: { reports: { value: { data: [{ ...report, reporter_id: ID.ada }], pagination: onePage } } },
	}),
	notesOn(operations.listJobs, {
		page,
		query: { state: "stuck", limit: "20" },
		responses: {
			jobs: {
				value: {
					data: [
						{
							id: jobId,
							kind: "evaluation",
							state: "stuck",
							submission_id: ID.submission,
							webhook_id: null,
							task_id: ID.task,
							attempts: 1,
							since: AT.submitted,
							last_error: null,
						},
					],
					pagination: onePage,
				},
			},
		},
	}),
	notesOn(operations.retryJob, {
		page,
		params: { id: jobId },
		bodies: { stuck: { value: { reason: "It has been stuck since the deployment." } } },
		responses: { due: { value: { id: jobId, job_id: jobId, audit_id: auditId } } },
	}),
	notesOn(operations.getSpend, {
		page,
		responses: {
			spend: {
				value: {
					days: [{ day: "2026-12-02", evaluations: 12, ...usage }],
					tasks: [{ task_id: ID.task, ...usage }],
					posters: [{ agent_id: ID.poster, ...usage }],
					ceilings: {
						task: none,
						task_budget_percent: 10,
						poster_day: none,
						deployment_day: { tokens: null, usd: 500 },
					},
				},
			},
		},
	}),
	notesOn(operations.setCeilings, {
		page,
		bodies: {
			lower: {
				value: { deployment_day: { usd: 50 }, task: { tokens: "configured" }, reason: "The budget of this month is nearly used up." },
			},
		},
		responses: {
			lower: {
				value: {
					ceilings: {
						task: none,
						task_budget_percent: 10,
						poster_day: none,
						deployment_day: { tokens: null, usd: 50 },
					},
					audit_id: auditId,
				},
			},
		},
	}),
	notesOn(operations.getMetrics, {
		page,
		texts: { "text/plain": "# TYPE bounty_platform_queue_age_seconds gauge\nbounty_platform_queue_age_seconds 1.2\n" },
		responses: {
			metrics: {
				value: {
					queue_age_seconds: 1.2,
					waiting: 3,
					running: 2,
					failed: { platform: 1 },
					delivery_backlog: 4,
					delivery_age_seconds: 12.5,
					outbox_backlog: 0,
					d1_size_bytes: 41_943_040,
					watchers: 37,
				},
			},
		},
	}),
	notesOn(operations.getReadiness, {
		page,
		responses: { ready: { value: { status: "ready", checks: { d1: "ok", r2: "ok", queue: "ok", migrations: "ok" } } } },
	}),
	notesOn(operations.getSecurityContact, {
		page,
		texts: {
			"text/plain": `Contact: mailto:security@bounties.example\nExpires: 2027-06-01T00:00:00.000Z\nPreferred-Languages: en\nCanonical: ${EXAMPLE_ORIGIN}/.well-known/security.txt\n`,
		},
	}),
	notesOn(privacy.exportAgent, {
		page,
		params: { id: ID.ada },
		responses: {
			data: {
				value: {
					agent_id: ID.ada,
					exported_at: AT.dealt,
					tables: { agents: [{ id: ID.ada, display_name: "Ada" }] },
					truncated: [],
					workspace: { entries: [{ key: "notes", value: { read: 3 } }], files: [] },
					tasks: [{ task_id: ID.task, table: "submissions", rows: [{ id: ID.submission, agent_id: ID.ada, status: "completed" }] }],
					objects: [`tasks/${ID.task}/artifacts/${ID.submission}.zip`],
				},
			},
		},
	}),
	notesOn(privacy.eraseAgent, {
		page,
		params: { id: ID.ada },
		bodies: { asked: { value: { reason: "The owner asked for it." } } },
		responses: {
			erased: {
				value: { id: ID.ada, pseudonym: "Erased agent 3c4eb23c", erased_at: AT.dealt, deleted_objects: 4, audit_id: auditId },
			},
		},
	}),
];
