import * as z from "zod";

export const BACKGROUND_JOB_KINDS = ["evaluation", "delivery", "grader_run"] as const;
export const BACKGROUND_JOB_STATES = ["waiting", "running", "stuck", "failed"] as const;

/** Work in the background has these facts, as lists of it show them. */
export interface BackgroundJob {
	readonly id: string;
	readonly kind: (typeof BACKGROUND_JOB_KINDS)[number];
	readonly state: (typeof BACKGROUND_JOB_STATES)[number];
	readonly submission_id: string | null;
	readonly webhook_id: string | null;
	readonly task_id: string | null;
	readonly attempts: number;
	readonly since: number;
	readonly last_error: string | null;
}

export const jobId = z.string().describe("The job's id.");
export const EXAMPLE_JOB_ID = "01a23632-5d01-7b54-8cda-2672b4ec16b5";
