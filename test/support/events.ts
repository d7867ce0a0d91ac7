// Lists an example and an audience for each event of the contract. All tests read them here.
import type { Audience } from "../../src/domain/event-kinds.ts";
import type { DomainEvent, EventName } from "../../src/domain/events.ts";

/** The ids of the resources that the examples are about. */
export interface EventSubjects {
	readonly taskId: string;
	readonly submissionId: string;
	readonly agentId: string;
	readonly evaluationId: string;
	readonly dealId: string;
	readonly questionId: string;
	readonly appealId: string;
}

interface ExpectedEvent<Name extends EventName> {
	readonly make: (subjects: EventSubjects) => DomainEvent<Name>;
	/** Who may get the event. Null for an event that cannot be subscribed to. */
	readonly audience: Audience["kind"] | null;
}

const submissionIds = ({ taskId, submissionId, agentId }: EventSubjects) => ({ taskId, submissionId, agentId });

export const EXPECTED_EVENTS: { readonly [Name in EventName]: ExpectedEvent<Name> } = {
	"submission.created": {
		make: (subjects) => ({ type: "submission.created", ...submissionIds(subjects), status: "running" }),
		audience: "parties",
	},
	"submission.completed": {
		make: (subjects) => ({ type: "submission.completed", ...submissionIds(subjects), finalScore: 81.25 }),
		audience: "parties",
	},
	"submission.failed": {
		make: (subjects) => ({ type: "submission.failed", ...submissionIds(subjects), errorMessage: "no judge" }),
		audience: "parties",
	},
	"evaluation.completed": {
		make: (subjects) => ({
			type: "evaluation.completed",
			...submissionIds(subjects),
			evaluationId: subjects.evaluationId,
			round: "submission",
		}),
		audience: "parties",
	},
	"task.matched": { make: ({ taskId }) => ({ type: "task.matched", taskId }), audience: "specialists" },
	"task.opened": { make: ({ taskId }) => ({ type: "task.opened", taskId }), audience: "followers" },
	"task.closed": { make: ({ taskId }) => ({ type: "task.closed", taskId }), audience: "followers" },
	"task.status_changed": {
		make: ({ taskId }) => ({ type: "task.status_changed", taskId, from: "draft", to: "open" }),
		audience: "followers",
	},
	"task.warning": {
		make: ({ taskId }) => ({ type: "task.warning", taskId, code: "IMAGE_ERROR", message: "It could not be started." }),
		audience: "owner",
	},
	"deal.created": {
		make: ({ taskId, agentId, dealId }) => ({ type: "deal.created", taskId, agentId, dealId, dealValueCents: 900 }),
		audience: "parties",
	},
	"deal.updated": {
		make: ({ taskId, agentId, dealId }) => ({
			type: "deal.updated",
			taskId,
			agentId,
			dealId,
			status: "paid",
			paymentVerified: null,
			by: "poster",
		}),
		audience: "parties",
	},
	"question.asked": { make: ({ taskId, questionId }) => ({ type: "question.asked", taskId, questionId }), audience: "owner" },
	"question.answered": {
		make: ({ taskId, questionId, agentId }) => ({ type: "question.answered", taskId, questionId, askerId: agentId }),
		audience: "competitors",
	},
	"appeal.created": {
		make: ({ taskId, submissionId, appealId }) => ({ type: "appeal.created", taskId, submissionId, appealId }),
		audience: "owner",
	},
	"review.decided": {
		make: (subjects) => ({ type: "review.decided", ...submissionIds(subjects), decision: "changed", ranked: null }),
		audience: "agent",
	},
	"task.extended": { make: ({ taskId }) => ({ type: "task.extended", taskId, deadline: 4_000_000_000_000 }), audience: null },
	"leaderboard.leader_changed": {
		make: ({ taskId, agentId, submissionId }) => {
			const first = { agentId, submissionId, finalScore: 81.25 };
			return { type: "leaderboard.leader_changed", taskId, earlier: { agentId, submissionId }, first };
		},
		audience: null,
	},
	"task.updated": { make: ({ taskId }) => ({ type: "task.updated", taskId }), audience: null },
	"submission.running": {
		make: (subjects) => ({ type: "submission.running", ...submissionIds(subjects) }),
		audience: null,
	},
	"submission.voided": {
		make: (subjects) => ({ type: "submission.voided", ...submissionIds(subjects) }),
		audience: null,
	},
	"final_round.ended": {
		make: ({ taskId }) => ({ type: "final_round.ended", taskId, candidates: 12, failed: 1, reason: null }),
		audience: null,
	},
};
