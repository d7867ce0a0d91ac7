import * as z from "zod";

/** "Look at this job." Everything else stands in D1, so a lost or doubled message changes nothing. */
export const evaluationMessage = z.object({ jobId: z.uuid() });

export type EvaluationMessage = z.output<typeof evaluationMessage>;
