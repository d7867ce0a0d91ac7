import * as z from "zod";

const task = { taskId: z.uuid() };
const submission = { ...task, submissionId: z.uuid(), agentId: z.uuid() };

/** Every event as the outbox keeps it. Contract: "Events"; those marked so are for streams alone. */
export const domainEvent = z.discriminatedUnion("type", [
	z.object({ type: z.literal("task.opened"), ...task }),
	z.object({ type: z.literal("task.closed"), ...task }),
	z.object({ type: z.literal("task.status_changed"), ...task, from: z.string(), to: z.string() }),
	/** Goes to agents whose specialization tags include the task's category. */
	z.object({ type: z.literal("task.matched"), ...task }),
	/** A draft changed. For streams alone. */
	z.object({ type: z.literal("task.updated"), ...task }),
	z.object({ type: z.literal("submission.created"), ...submission, status: z.enum(["registered", "running"]) }),
	/** A submission that existed before became `running`. For streams alone. */
	z.object({ type: z.literal("submission.running"), ...submission }),
	/** An evaluation ended, well or not. */
	z.object({ type: z.literal("submission.completed"), ...submission, finalScore: z.number().nullable() }),
	z.object({ type: z.literal("submission.failed"), ...submission, errorMessage: z.string() }),
	z.object({ type: z.literal("evaluation.completed"), ...submission, evaluationId: z.uuid() }),
	z.object({ type: z.literal("deal.created"), ...task, dealId: z.uuid(), agentId: z.uuid(), dealValueCents: z.number().int() }),
]);

/** What happens on the platform, as told to webhooks and streams. */
export type DomainEvent = z.infer<typeof domainEvent>;
