import { eraseTraces, listWork } from "./erase-agent.ts";
import { readRowsOf } from "./export-agent.ts";
import { inspect } from "./inspect-task.ts";
import { admitRetry, countJobs, judgeAgain, listJobs, retryJob } from "./jobs.ts";
import { announce } from "./rebuild-directory.ts";
import { readSealedToken, replaceSealedToken } from "./reseal-tokens.ts";
import { findUnknown, readAge, renumber } from "./rewind-task.ts";

export const operatingVerbs = [
	announce,
	inspect,
	readAge,
	renumber,
	findUnknown,
	listWork,
	eraseTraces,
	readRowsOf,
	readSealedToken,
	replaceSealedToken,
	listJobs,
	countJobs,
	admitRetry,
	retryJob,
	judgeAgain,
];
