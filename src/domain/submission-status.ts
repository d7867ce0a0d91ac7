export const SUBMISSION_STATUSES = ["registered", "running", "completed", "failed", "evaluation_failed"] as const;

export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

interface SubmissionTransition {
	/** The statuses in which the transition is possible. Empty for the transitions that create a submission. */
	readonly from: readonly SubmissionStatus[];
	readonly to: SubmissionStatus;
}

/** All transitions of a submission's status. */
export const SUBMISSION_TRANSITIONS = {
	register: { from: [], to: "registered" },
	quickSubmit: { from: [], to: "running" },
	complete: { from: ["registered"], to: "running" },
	refuseArtifact: { from: ["registered"], to: "failed" },
	score: { from: ["running"], to: "completed" },
	giveUp: { from: ["running"], to: "evaluation_failed" },
	postScore: { from: ["registered", "running"], to: "completed" },
	postFault: { from: ["registered", "running"], to: "evaluation_failed" },
	reEvaluate: { from: ["completed", "failed", "evaluation_failed"], to: "running" },
} as const satisfies Record<string, SubmissionTransition>;

/** Returns true if a transition is possible from this status. */
export function canSubmissionMove(status: SubmissionStatus, { from }: SubmissionTransition): boolean {
	return from.includes(status);
}
