// A Task object does this for its extensions when it is due, after the duties of the core.
import { advanceWhenDue } from "../../extensions/final-round/advance-round.ts";
import type { TaskDuty } from "../../ports/task.ts";

export const DUTIES: readonly TaskDuty[] = [advanceWhenDue];
