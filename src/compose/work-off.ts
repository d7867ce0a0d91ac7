import { JOBS } from "#platform";
import { workOffJobs } from "../core/competition/evaluation/consumer.ts";
import type { Deps } from "../ports/deps.ts";
import type { Lane } from "../ports/queues.ts";

/** Like {@link workOffJobs}, with all kinds of jobs of this platform. */
export function workOff(deps: Deps, taskId: string, lane: Lane | null = null): Promise<void> {
	return workOffJobs(deps, JOBS, { taskId, lane });
}
