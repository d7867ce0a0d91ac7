// The platform without extensions: `EXTENSIONS=none npm start`. It exports what whole.ts does.
import type { Extension } from "../ports/extension.ts";
import { coreOperations } from "./core-operations.ts";
import { makeTaskParts } from "./task-parts.ts";

export const operations = coreOperations;

export const TASK_PARTS = makeTaskParts({ steps: { published: [], ended: [] }, listeners: [], duties: [] });

export const EXTENSIONS: readonly Extension[] = [];
