// The platform with all its extensions. In package.json, `#platform` is this file or core-only.ts.
import { coreOperations } from "./core-operations.ts";
import { TASK_DUTIES } from "./joints/duties.ts";
import { EXTENSIONS, extensionOperations } from "./joints/extensions.ts";
import { HOLDINGS } from "./joints/holdings.ts";
import { INSPECTIONS } from "./joints/inspections.ts";
import { JOBS } from "./joints/jobs.ts";
import { TASK_LISTENERS } from "./joints/listeners.ts";
import { STEPS } from "./joints/steps.ts";
import { makeTaskParts } from "./task-parts.ts";

/** All endpoints of the platform, by operation id. */
export const operations = { ...coreOperations, ...extensionOperations };

export const TASK_PARTS = makeTaskParts({
	jobs: JOBS,
	inspections: INSPECTIONS,
	steps: STEPS,
	listeners: TASK_LISTENERS,
	duties: TASK_DUTIES,
	holdings: HOLDINGS,
});

export { BEARERS } from "./joints/bearers.ts";
export { createMiddlewares, ERROR_FORMS } from "./joints/doors.ts";
export { ADDED_SWEEPS, CRON_DUTIES } from "./joints/duties.ts";
export { DIRECTORY_LISTENERS } from "./joints/listeners.ts";
export { EXTENSIONS, INSPECTIONS, JOBS };
