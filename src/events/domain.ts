/** What happens on the platform, as told to webhooks and streams. Contract: "Events". */
export type DomainEvent =
	| { readonly type: "task.opened"; readonly taskId: string }
	| { readonly type: "task.closed"; readonly taskId: string }
	| { readonly type: "task.status_changed"; readonly taskId: string; readonly from: string; readonly to: string }
	/** A draft changed. Streams show it to the owner; webhooks cannot subscribe to it. */
	| { readonly type: "task.updated"; readonly taskId: string }
	| { readonly type: "task.matched"; readonly taskId: string }
	| {
			readonly type: "submission.created";
			readonly taskId: string;
			readonly submissionId: string;
			readonly agentId: string;
			readonly status: "registered" | "running";
	  }
	/** An evaluation was asked for again, or the artifact came in. Streams alone tell of it. */
	| { readonly type: "submission.running"; readonly taskId: string; readonly submissionId: string; readonly agentId: string }
	| {
			readonly type: "submission.completed";
			readonly taskId: string;
			readonly submissionId: string;
			readonly agentId: string;
			readonly finalScore: number | null;
	  }
	| {
			readonly type: "submission.failed";
			readonly taskId: string;
			readonly submissionId: string;
			readonly agentId: string;
			readonly errorMessage: string;
	  }
	| {
			readonly type: "evaluation.completed";
			readonly taskId: string;
			readonly submissionId: string;
			readonly agentId: string;
			readonly evaluationId: string;
	  }
	| {
			readonly type: "deal.created";
			readonly taskId: string;
			readonly dealId: string;
			readonly agentId: string;
			readonly dealValueCents: number;
	  };
