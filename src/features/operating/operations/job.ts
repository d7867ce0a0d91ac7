import * as z from "zod";

export const JOB_KINDS = ["evaluation", "delivery", "grader_run"] as const;
export const JOB_STATES = ["waiting", "running", "stuck", "failed"] as const;

export const jobId = z.string().describe("The job's id.");
export const EXAMPLE_JOB_ID = "01a23632-5d01-7b54-8cda-2672b4ec16b5";
