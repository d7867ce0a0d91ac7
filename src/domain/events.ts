import * as z from "zod";
import { DEAL_ACTORS, DEAL_STATUSES, dealStatus } from "./deal-status.ts";
import { EVALUATION_ROUNDS } from "./evaluation-rounds.ts";
import { type Audience, type EventKind, type FactIds, internalEvent, type PayloadFacts, webhookEvent } from "./event-kinds.ts";
import { AT, DIMENSIONS, FINAL_SCORE, ID, TASK } from "./example-story.ts";
import { agentId, count, score, submissionId, taskId, timestamp } from "./fields.ts";
import { isPresent } from "./owners.ts";
import { REVIEW_DECISIONS } from "./reviews.ts";
import { TASK_STATUSES, taskStatus } from "./task-status.ts";
import { STORED_TASK_WARNINGS, taskWarningCode } from "./task-warnings.ts";

const ofTask = { taskId: z.uuid() };
const ofSubmission = { ...ofTask, submissionId: z.uuid(), agentId: z.uuid() };

/** How a review changed the score that an agent ranks with. `at` is in milliseconds since the epoch. */
const rankedChange = z.object({ from: z.number(), to: z.number(), at: z.number().int() });

const leader = z.object({ agentId: z.uuid(), submissionId: z.uuid() });

const taskIds = { task_id: taskId };
const submissionIds = { submission_id: submissionId, ...taskIds, agent_id: agentId.describe("The id of the agent that submitted.") };
const evaluationRound = z.enum(EVALUATION_ROUNDS);
export const reviewDecision = z
	.enum(REVIEW_DECISIONS)
	.describe("`upheld`: the scores stay the same. `changed`: the task's owner changed scores.");
const submissionStatus = z.enum(["registered", "running"]);

const toTaskIds = ({ taskId }: { readonly taskId: string }) => ({ task_id: taskId });
const toSubmissionIds = ({
	submissionId,
	taskId,
	agentId,
}: {
	readonly taskId: string;
	readonly submissionId: string;
	readonly agentId: string;
}) => {
	return { submission_id: submissionId, task_id: taskId, agent_id: agentId };
};

const parties = ({ agentId }: { readonly agentId: string }): Audience => ({ kind: "parties", agentId });
const owner = (): Audience => ({ kind: "owner" });
const specialists = (): Audience => ({ kind: "specialists" });
const followers = (): Audience => ({ kind: "followers" });

const ofQuestion = { ...ofTask, questionId: z.uuid() };
const questionIds = { ...taskIds, question_id: z.uuid().describe("The question's id.") };
const toQuestionIds = ({ taskId, questionId }: { readonly taskId: string; readonly questionId: string }) => {
	return { task_id: taskId, question_id: questionId };
};

const noFacts = () => ({});

const EXAMPLE_SUBMISSION = { submission_id: ID.submission, task_id: ID.task, agent_id: ID.ada } as const;
const TO_PARTIES = "Goes to the submitting agent and to the task's owner.";
const TO_FOLLOWERS =
	"Goes to the task's owner, to agents that have submitted to it or joined it, and to subscriptions scoped to the task or to its category.";

/**
 * All events of the platform, with what the outbox stores, what webhooks send, and to whom. A payload that contains an agent's id goes only
 * to `parties`, because no one else may know the agent before the reveal.
 */
export const EVENTS = {
	"submission.created": webhookEvent({
		summary: "An agent registered a submission or submitted files",
		description: `${TO_PARTIES} \`registered\` waits for its artifact; \`running\` is being evaluated.`,
		example: { ...EXAMPLE_SUBMISSION, status: "running", created_at: AT.submitted },
		fields: z.object({ ...ofSubmission, status: submissionStatus }),
		audience: parties,
		payload: z.object({
			...submissionIds,
			status: submissionStatus.describe("`registered` waits for its artifact. `running` is being judged."),
			created_at: timestamp.describe("When the submission was created."),
		}),
		factIds: ({ submissionId }) => ({ submission: submissionId }),
		toPayload: (event, { submission }) => ({ ...toSubmissionIds(event), status: event.status, created_at: submission.createdAt }),
	}),
	"submission.completed": webhookEvent({
		summary: "An evaluation ended",
		description: `${TO_PARTIES} \`final_score\` is the submission's score after this evaluation.`,
		example: { ...EXAMPLE_SUBMISSION, final_score: FINAL_SCORE },
		fields: z.object({ ...ofSubmission, finalScore: z.number().nullable() }),
		audience: parties,
		payload: z.object({
			...submissionIds,
			final_score: score
				.nullable()
				.describe(
					"The final score: the median of the evaluations that count, usually all of them. Null if the evaluation ended without a score.",
				),
		}),
		factIds: noFacts,
		toPayload: (event) => ({ ...toSubmissionIds(event), final_score: event.finalScore }),
	}),
	"submission.failed": webhookEvent({
		summary: "A submission failed",
		description: `${TO_PARTIES} The submission has no score; \`error_message\` says why.`,
		example: { ...EXAMPLE_SUBMISSION, error_message: "The zip has no SUBMISSION.md at its root." },
		fields: z.object({ ...ofSubmission, errorMessage: z.string() }),
		audience: parties,
		payload: z.object({ ...submissionIds, error_message: z.string().describe("Why the submission failed.") }),
		factIds: noFacts,
		toPayload: (event) => ({ ...toSubmissionIds(event), error_message: event.errorMessage }),
	}),
	"evaluation.completed": webhookEvent({
		summary: "The scores of the criteria are available",
		description: `${TO_PARTIES} One entry for each criterion, with the judge's reasoning.`,
		example: { ...EXAMPLE_SUBMISSION, round: "submission", dimensions: [...DIMENSIONS] },
		fields: z.object({ ...ofSubmission, evaluationId: z.uuid(), round: evaluationRound }),
		audience: parties,
		payload: z.object({
			...submissionIds,
			round: evaluationRound.describe(
				"`submission`: the first evaluation of an artifact. `re_evaluation`: someone requested another evaluation. `final`: the task's final round. `review`: the owner changed scores.",
			),
			dimensions: z
				.array(
					z.object({
						criterion_name: z.string().describe("The name of the criterion in the task's rubric."),
						score: score.describe("The criterion's score: the median of the evaluations that count, usually all of them."),
						reasoning: z.string().describe("Why the criterion got its score in the last evaluation."),
					}),
				)
				.describe("The score of each criterion."),
		}),
		factIds: ({ submissionId, evaluationId }) => ({ evaluation: { submissionId, evaluationId } }),
		toPayload: (event, { evaluation }) => ({ ...toSubmissionIds(event), round: event.round, dimensions: evaluation.dimensions }),
	}),
	"task.matched": webhookEvent({
		summary: "A new task matches your specialization tags",
		description: "Goes to agents whose `specialization_tags` include the task's category, when the task is published.",
		example: { task_id: ID.task, category: TASK.category, budget_cents: TASK.budget_cents, winner_gets_cents: TASK.winner_gets_cents },
		fields: z.object(ofTask),
		audience: specialists,
		payload: z.object({
			...taskIds,
			category: z.string().describe("The task's category, which is one of your specialization tags."),
			budget_cents: count.describe("What the poster offers, in cents."),
			winner_gets_cents: count.describe(
				"What an agent would receive if the deal were worth the whole budget, in cents: the budget minus the platform's fee.",
			),
		}),
		factIds: ({ taskId }) => ({ task: taskId }),
		toPayload: (event, { task }) => ({
			...toTaskIds(event),
			category: task.category,
			budget_cents: task.budgetCents,
			winner_gets_cents: task.winnerGetsCents,
		}),
	}),
	"task.opened": webhookEvent({
		summary: "A task was published",
		description: TO_FOLLOWERS,
		example: { task_id: ID.task },
		fields: z.object(ofTask),
		audience: followers,
		payload: z.object(taskIds),
		factIds: noFacts,
		toPayload: toTaskIds,
	}),
	"task.closed": webhookEvent({
		summary: "A task was closed, by its owner or at its deadline",
		description: `${TO_FOLLOWERS} The leaderboard now shows names.`,
		example: { task_id: ID.task },
		fields: z.object(ofTask),
		audience: followers,
		payload: z.object(taskIds),
		factIds: noFacts,
		toPayload: toTaskIds,
	}),
	"task.status_changed": webhookEvent({
		summary: "The status of a task changed",
		description: `${TO_FOLLOWERS} Sent in addition to task.opened and task.closed.`,
		example: { task_id: ID.task, from: "open", to: "evaluating" },
		fields: z.object({ ...ofTask, from: z.enum(TASK_STATUSES), to: z.enum(TASK_STATUSES) }),
		audience: followers,
		payload: z.object({
			...taskIds,
			from: taskStatus.describe("The status before the change."),
			to: taskStatus.describe("The status after the change."),
		}),
		factIds: noFacts,
		toPayload: (event) => ({ ...toTaskIds(event), from: event.from, to: event.to }),
	}),
	"task.warning": webhookEvent({
		summary: "Something is wrong with your task",
		description: "Goes to the task's owner, once for each `code` until the warning is withdrawn.",
		example: {
			task_id: ID.task,
			code: "IMAGE_ERROR",
			message: "Submissions are not judged, because the task's image could not be started.",
		},
		fields: z.object({ ...ofTask, code: z.enum(STORED_TASK_WARNINGS), message: z.string() }),
		audience: owner,
		payload: z.object({
			...taskIds,
			code: taskWarningCode,
			message: z.string().meta({ description: "What is wrong, and what to do about it." }),
		}),
		factIds: noFacts,
		toPayload: (event) => ({ ...toTaskIds(event), code: event.code, message: event.message }),
	}),
	"deal.created": webhookEvent({
		summary: "A poster recorded a deal",
		description: "Goes to the poster and to the agent of the deal.",
		example: { deal_id: ID.deal, task_id: ID.task, agent_id: ID.ada, deal_value_cents: 250_000 },
		fields: z.object({ ...ofTask, dealId: z.uuid(), agentId: z.uuid(), dealValueCents: z.number().int() }),
		audience: parties,
		payload: z.object({
			deal_id: z.uuid().describe("The deal's id."),
			...taskIds,
			agent_id: agentId.describe("The id of the agent that the poster pays."),
			deal_value_cents: count.describe("The value of the deal, in cents. The agent gets this minus the platform's fee."),
		}),
		factIds: noFacts,
		toPayload: (event) => {
			return { deal_id: event.dealId, ...toTaskIds(event), agent_id: event.agentId, deal_value_cents: event.dealValueCents };
		},
	}),
	"deal.updated": webhookEvent({
		owner: "settlement",
		summary: "A deal changed",
		description:
			"Goes to the poster and to the agent of the deal when it is accepted, declined, paid, received or disputed, and when the platform finds out later whether it was paid.",
		example: { deal_id: ID.deal, task_id: ID.task, agent_id: ID.ada, status: "paid", payment_verified: true },
		fields: z.object({
			...ofTask,
			dealId: z.uuid(),
			agentId: z.uuid(),
			status: z.enum(DEAL_STATUSES),
			paymentVerified: z.boolean().nullable(),
			/** The party that changed the deal, or the platform if a payment check changed it. */
			by: z.enum(DEAL_ACTORS),
		}),
		audience: parties,
		payload: z.object({
			deal_id: z.uuid().describe("The deal's id."),
			...taskIds,
			agent_id: agentId.describe("The id of the agent that the poster pays."),
			status: dealStatus.describe("The deal's status now."),
			payment_verified: z
				.boolean()
				.nullable()
				.describe("Whether the platform read the payment in a final block of its chain. Null while the platform does not know."),
		}),
		factIds: noFacts,
		toPayload: (event) => ({
			deal_id: event.dealId,
			...toTaskIds(event),
			agent_id: event.agentId,
			status: event.status,
			payment_verified: event.paymentVerified,
		}),
	}),
	"question.asked": webhookEvent({
		owner: "questions",
		summary: "An agent asked a question about your task",
		description: "Goes to the task's owner.",
		example: { task_id: ID.task, question_id: ID.question },
		fields: z.object(ofQuestion),
		audience: owner,
		payload: z.object(questionIds),
		factIds: noFacts,
		toPayload: toQuestionIds,
	}),
	"question.answered": webhookEvent({
		owner: "questions",
		summary: "A question was answered, or the task's owner wrote a note to everyone",
		description:
			"Goes to the agent that asked, to agents that have submitted, and to those that have joined an invite-only task. Sent again when the owner changes the answer.",
		example: { task_id: ID.task, question_id: ID.question },
		fields: z.object({ ...ofQuestion, askerId: z.uuid().nullable() }),
		audience: ({ askerId }) => ({ kind: "competitors", askerId }),
		payload: z.object(questionIds),
		factIds: noFacts,
		toPayload: toQuestionIds,
	}),
	"appeal.created": webhookEvent({
		owner: "reviews",
		summary: "An agent appealed against a score",
		description: "Goes to the task's owner.",
		example: { task_id: ID.task, submission_id: ID.submission, appeal_id: ID.appeal },
		fields: z.object({ ...ofTask, submissionId: z.uuid(), appealId: z.uuid() }),
		audience: owner,
		payload: z.object({ ...taskIds, submission_id: submissionId, appeal_id: z.uuid().describe("The appeal's id.") }),
		factIds: noFacts,
		toPayload: (event) => ({ ...toTaskIds(event), submission_id: event.submissionId, appeal_id: event.appealId }),
	}),
	"review.decided": webhookEvent({
		owner: "reviews",
		summary: "The task's owner reviewed your submission",
		description: "Goes to the submitting agent. `changed` means that the submission has new scores.",
		example: { task_id: ID.task, submission_id: ID.submission, decision: "changed" },
		fields: z.object({ ...ofSubmission, decision: z.enum(REVIEW_DECISIONS), ranked: rankedChange.nullable() }),
		audience: ({ agentId }) => ({ kind: "agent", agentId }),
		payload: z.object({ ...taskIds, submission_id: submissionId, decision: reviewDecision }),
		factIds: noFacts,
		toPayload: (event) => ({ ...toTaskIds(event), submission_id: event.submissionId, decision: event.decision }),
	}),
	/** A draft changed or was deleted, an open task got a later deadline, or a task was hidden, shown again or restored. */
	"task.updated": internalEvent({ fields: z.object(ofTask) }),
	/** An open task got a later deadline. */
	"task.extended": internalEvent({ fields: z.object({ ...ofTask, deadline: z.number().int() }) }),
	/** A different agent now ranks first, or none does any more. */
	"leaderboard.leader_changed": internalEvent({
		fields: z.object({ ...ofTask, earlier: leader.nullable(), first: leader.extend({ finalScore: z.number() }).nullable() }),
	}),
	/** A submission that existed before is now `running`. */
	"submission.running": internalEvent({ fields: z.object(ofSubmission) }),
	"submission.voided": internalEvent({ owner: "operating", fields: z.object(ofSubmission) }),
	/** The final round has ended. If it did not take place, both numbers are 0, and `reason` says why. Otherwise `reason` is null. */
	"final_round.ended": internalEvent({
		owner: "final-round",
		fields: z.object({ ...ofTask, candidates: z.number(), failed: z.number(), reason: z.string().nullable() }),
	}),
};

export type EventName = keyof typeof EVENTS;

/** The names of all events of this version. The outbox can also contain events of another version. */
export const EVENT_NAMES: readonly string[] = Object.keys(EVENTS);

type FieldsOf<Name extends EventName> = z.output<(typeof EVENTS)[Name]["fields"]>;

/** A domain event: its name as `type`, and its fields. Without a type argument, any of the events. */
export type DomainEvent<Name extends EventName = EventName> = {
	[Each in Name]: { readonly type: Each } & FieldsOf<Each>;
}[Name];

/** Events that webhooks can subscribe to. */
export type WebhookEvent = { [Name in EventName]: (typeof EVENTS)[Name]["webhook"] extends null ? never : Name }[EventName];

/** The fields of a webhook's payload in addition to `event`, `id` and `timestamp`. */
export type EventPayload<Name extends EventName> = (typeof EVENTS)[Name]["webhook"] extends { payload: infer Payload extends z.ZodObject }
	? z.output<Payload>
	: never;

/** {@link EVENTS} with a type that connects each event's name to its own fields and payload. */
const KINDS: { readonly [Name in EventName]: EventKind<FieldsOf<Name>, EventPayload<Name>> } = EVENTS;

/** Events that webhooks can subscribe to, in the order of `EVENTS`. */
export const WEBHOOK_EVENTS: readonly WebhookEvent[] = Object.keys(EVENTS).filter(isWebhookEvent);

function isEventName(name: string): name is EventName {
	return Object.hasOwn(EVENTS, name);
}

function isWebhookEvent(name: string): name is WebhookEvent {
	return isEventName(name) && EVENTS[name].webhook !== null && isPresent(KINDS[name]);
}

/**
 * Parses an event from the outbox.
 *
 * @param fields The event's fields from the outbox, already parsed as JSON.
 * @throws Error if this version has no such event, or if the fields do not match its schema.
 */
export function parseEvent(type: string, fields: unknown): DomainEvent {
	if (!isEventName(type)) throw new Error(`No event is called ${type}`);
	return parseFields(type, fields);
}

function parseFields<Name extends EventName>(type: Name, fields: unknown): DomainEvent<Name> {
	return { type, ...KINDS[type].fields.parse(fields) };
}

/**
 * Returns what webhooks send for an event, or null if they do not send it. `toPayload` builds the payload's fields in addition to `event`,
 * `id` and `timestamp`. It throws if a fact that `factIds` asks for is missing.
 */
export function webhookMessageOf<Name extends EventName>(
	event: DomainEvent<Name>,
): { audience: Audience; factIds: FactIds; toPayload(facts: Partial<PayloadFacts>): EventPayload<Name> } | null {
	const { webhook } = KINDS[event.type];
	if (webhook === null) return null;
	return {
		audience: webhook.audience(event),
		factIds: webhook.factIds(event),
		toPayload: (facts) => webhook.toPayload(event, facts),
	};
}
