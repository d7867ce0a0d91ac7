import { DurableObject } from "cloudflare:workers";
import { TASK_PARTS } from "#platform";
import { backgroundIn, createDeps } from "../compose/create-deps.ts";
import { TaskRuntime } from "../compose/task-runtime.ts";
import { keepAlarm } from "../platform/alarms.ts";
import { consoleLog, describeError } from "../platform/log.ts";
import { labelSpan } from "../platform/tracing.ts";
import { RESTARTING, type TaskCall, type TaskReply } from "../ports/task.ts";

/**
 * One object per task, with its rubric, entries, submissions, evaluations, leaderboard and jobs. It does one thing at a time, so two
 * requests can never both take the last slot.
 */
export class Task extends DurableObject<Env> {
	#runtime: TaskRuntime | null = null;

	constructor(ctx: DurableObjectState, env: Env) {
		super(ctx, env);
		ctx.blockConcurrencyWhile(async () => {
			try {
				await this.runtime.wake();
			} catch (error) {
				// With an invalid configuration, there is no runtime. The object still opens, so that it keeps its alarm, and calls fail.
				if (this.#runtime !== null) throw error;
				consoleLog.error("task_not_opened", describeError(error));
			}
		});
	}

	/** @throws Error if the configuration lacks a setting without which nothing can be served. */
	get runtime(): TaskRuntime {
		this.#runtime ??= new TaskRuntime(
			this.ctx.storage,
			createDeps({ env: this.env, background: backgroundIn(this.ctx), readFrom: "first-primary" }),
			TASK_PARTS,
		);
		return this.#runtime;
	}

	call(call: TaskCall): Promise<TaskReply> {
		labelSpan(call.requestId);
		return this.runtime.call(call);
	}

	override async alarm(): Promise<void> {
		await keepAlarm(this.ctx.storage, "task_alarm_failed", () => this.runtime.alarm());
	}

	/**
	 * Returns the bookmark of the object's state at a time in the last 30 days, in milliseconds since the epoch. Returns null if there is
	 * none, as on a local platform, which keeps no history.
	 */
	async findBookmark(at: number): Promise<string | null> {
		try {
			return await this.ctx.storage.getBookmarkForTime(at);
		} catch (error) {
			consoleLog.error("bookmark_not_found", describeError(error));
			return null;
		}
	}

	/** Makes the object return to its state at a bookmark when it starts again. Call {@link restart} afterwards. */
	async restoreAtRestart(bookmark: string): Promise<void> {
		await this.ctx.storage.onNextSessionRestoreBookmark(bookmark);
	}

	/** Ends the object, so that this call fails. The next call starts the object again. */
	restart(): void {
		this.ctx.abort(RESTARTING);
	}
}
