import { inspect } from "./inspect-task.ts";
import { admitRetry, countJobs, judgeAgain, listJobs, retryJob } from "./jobs.ts";
import { announce } from "./rebuild-directory.ts";

export const operatingVerbs = [announce, inspect, listJobs, countJobs, admitRetry, retryJob, judgeAgain];
