// The platform with all its extensions. `#platform` of package.json is this file, or core-only.ts next to it.
import { coreOperations } from "./core-operations.ts";
import { EXTENSIONS, extensionOperations } from "./joints/extensions.ts";
import { HOLDINGS } from "./joints/holdings.ts";
import { TASK_LISTENERS } from "./joints/listeners.ts";
import { makeTaskParts } from "./task-parts.ts";

/** Each endpoint has the name of its operation. The platform has no other endpoints. */
export const operations = { ...coreOperations, ...extensionOperations };

export const TASK_PARTS = makeTaskParts({ listeners: TASK_LISTENERS, holdings: HOLDINGS });

export { createMiddlewares, ERROR_FORMS } from "./joints/doors.ts";
export { ADDED_SWEEPS } from "./joints/duties.ts";
export { DIRECTORY_LISTENERS } from "./joints/listeners.ts";
export { EXTENSIONS };
