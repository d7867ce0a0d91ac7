import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { TASK_PARTS } from "../src/compose/task-parts.ts";
import { TaskRuntime } from "../src/compose/task-runtime.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";
import type { TaskCall, TaskReply } from "../src/ports/task.ts";

/**
 * One competition: its rubric, entries, submissions, evaluations, leaderboard and jobs. Everything here happens one thing at a time, so
 * two requests can never both take the last slot.
 */
export class Task extends DurableObject<Env> {
	readonly runtime: TaskRuntime;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		const background = (work: Promise<unknown>) => {
			ctx.waitUntil(work.catch((error: unknown) => consoleLog.error("background_failed", describeError(error))));
		};
		const deps = createDeps({ env, background, readFrom: "first-primary" });
		this.runtime = new TaskRuntime(ctx.storage, deps, TASK_PARTS);
		ctx.blockConcurrencyWhile(() => this.runtime.wake());
	}

	/** Runs one of `TASK_PARTS.verbs`. */
	call(call: TaskCall): Promise<TaskReply> {
		return this.runtime.call(call);
	}

	override alarm(): Promise<void> {
		return this.runtime.alarm();
	}
}
