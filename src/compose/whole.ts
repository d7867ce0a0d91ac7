// The platform with all its extensions. `#platform` of package.json is this file, or core-only.ts beside it.
import { coreOperations } from "./core-operations.ts";
import { EXTENSIONS, extensionOperations } from "./joints/extensions.ts";
import { HOLDINGS } from "./joints/holdings.ts";
import { LISTENERS } from "./joints/listeners.ts";
import { makeTaskParts } from "./task-parts.ts";

/** Each endpoint has the name of its operation. The platform has no other endpoints. */
export const operations = { ...coreOperations, ...extensionOperations };

export const TASK_PARTS = makeTaskParts({ listeners: LISTENERS, holdings: HOLDINGS });

export { EXTENSIONS };
