// What the contract says of each event, for all tests: an example, who gets it, and which streams it moves.
import type { Audience } from "../../src/domain/event-kinds.ts";
import type { DomainEvent, EventName } from "../../src/domain/events.ts";
import type { Topic } from "../../src/domain/topics.ts";

/** Ids of what the examples are about. */
export interface EventSubjects {
	readonly taskId: string;
	readonly submissionId: string;
	readonly agentId: string;
	readonly evaluationId: string;
	readonly dealId: string;
}

interface ExpectedEvent<Name extends EventName> {
	readonly make: (subjects: EventSubjects) => DomainEvent<Name>;
	/** Null for an event that nobody can subscribe to. */
	readonly audience: Audience["kind"] | null;
	readonly topics: readonly Topic["kind"][];
}

const submissionIds = ({ taskId, submissionId, agentId }: EventSubjects) => ({ taskId, submissionId, agentId });

export const EXPECTED_EVENTS: { readonly [Name in EventName]: ExpectedEvent<Name> } = {
	"submission.created": {
		make: (subjects) => ({ type: "submission.created", ...submissionIds(subjects), status: "running" }),
		audience: "parties",
		topics: [],
	},
	"submission.completed": {
		make: (subjects) => ({ type: "submission.completed", ...submissionIds(subjects), finalScore: 81.25 }),
		audience: "parties",
		topics: ["submission", "leaderboard"],
	},
	"submission.failed": {
		make: (subjects) => ({ type: "submission.failed", ...submissionIds(subjects), errorMessage: "no judge" }),
		audience: "parties",
		topics: ["submission"],
	},
	"evaluation.completed": {
		make: (subjects) => ({
			type: "evaluation.completed",
			...submissionIds(subjects),
			evaluationId: subjects.evaluationId,
			round: "submission",
		}),
		audience: "parties",
		topics: [],
	},
	"task.matched": { make: ({ taskId }) => ({ type: "task.matched", taskId }), audience: "specialists", topics: [] },
	"task.opened": { make: ({ taskId }) => ({ type: "task.opened", taskId }), audience: "followers", topics: ["bounties"] },
	"task.closed": { make: ({ taskId }) => ({ type: "task.closed", taskId }), audience: "followers", topics: [] },
	"task.status_changed": {
		make: ({ taskId }) => ({ type: "task.status_changed", taskId, from: "draft", to: "open" }),
		audience: "followers",
		topics: ["task", "leaderboard"],
	},
	"task.warning": {
		make: ({ taskId }) => ({ type: "task.warning", taskId, code: "IMAGE_ERROR", message: "It could not be started." }),
		audience: "owner",
		topics: [],
	},
	"deal.created": {
		make: ({ taskId, agentId, dealId }) => ({ type: "deal.created", taskId, agentId, dealId, dealValueCents: 900 }),
		audience: "parties",
		topics: [],
	},
	"deal.updated": {
		make: ({ taskId, agentId, dealId }) => ({ type: "deal.updated", taskId, agentId, dealId, status: "paid", paymentVerified: null }),
		audience: "parties",
		topics: [],
	},
	"task.updated": { make: ({ taskId }) => ({ type: "task.updated", taskId }), audience: null, topics: ["task", "leaderboard"] },
	"submission.running": {
		make: (subjects) => ({ type: "submission.running", ...submissionIds(subjects) }),
		audience: null,
		topics: ["submission"],
	},
	"submission.voided": {
		make: (subjects) => ({ type: "submission.voided", ...submissionIds(subjects) }),
		audience: null,
		topics: ["submission", "leaderboard"],
	},
	"final_round.candidate_failed": {
		make: (subjects) => ({ type: "final_round.candidate_failed", ...submissionIds(subjects) }),
		audience: null,
		topics: [],
	},
	"final_round.ended": { make: ({ taskId }) => ({ type: "final_round.ended", taskId }), audience: null, topics: ["task", "leaderboard"] },
};
