// The platform with all its extensions. `#platform` of package.json is this file, or core-only.ts beside it.
import { coreOperations } from "./core-operations.ts";
import { DUTIES } from "./joints/duties.ts";
import { EXTENSIONS, extensionOperations } from "./joints/extensions.ts";
import { INSPECTIONS } from "./joints/inspections.ts";
import { JOBS } from "./joints/jobs.ts";
import { LISTENERS } from "./joints/listeners.ts";
import { STEPS } from "./joints/steps.ts";
import { makeTaskParts } from "./task-parts.ts";

/** Each endpoint has the name of its operation. The platform has no other endpoints. */
export const operations = { ...coreOperations, ...extensionOperations };

export const TASK_PARTS = makeTaskParts({ jobs: JOBS, inspections: INSPECTIONS, steps: STEPS, listeners: LISTENERS, duties: DUTIES });

export { EXTENSIONS, INSPECTIONS, JOBS };
