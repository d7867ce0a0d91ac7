// These fields of responses and events mean the same in many schemas. A schema can describe them anew.
import * as z from "zod";

export const agentId = z.uuid().describe("The agent's id.");
export const taskId = z.uuid().describe("The task's id.");
export const submissionId = z.uuid().describe("The submission's id.");
export const count = z.number().int().min(0);
export const score = z.number().min(0).max(100);

/** Responses have an instant in ISO 8601: UTC, milliseconds, `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 });
