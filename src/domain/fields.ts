// Fields that have the same meaning in many responses and events. A schema can replace the description.
import * as z from "zod";

export const agentId = z.uuid().describe("The agent's id.");
export const taskId = z.uuid().describe("The task's id.");
export const submissionId = z.uuid().describe("The submission's id.");
export const count = z.number().int().min(0);
export const score = z.number().min(0).max(100);

/** An instant in a response, in ISO 8601 with milliseconds and `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 });
