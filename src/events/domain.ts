/** What happens on the platform, as told to webhooks and streams. Contract: "Events". */
export type DomainEvent =
	| { readonly type: "task.opened"; readonly taskId: string }
	| { readonly type: "task.closed"; readonly taskId: string }
	| { readonly type: "task.status_changed"; readonly taskId: string; readonly from: string; readonly to: string }
	| { readonly type: "submission.created"; readonly taskId: string; readonly submissionId: string; readonly agentId: string }
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
	| { readonly type: "evaluation.completed"; readonly taskId: string; readonly submissionId: string; readonly evaluationId: string };
