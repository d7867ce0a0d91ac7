import { DurableObject } from "cloudflare:workers";
import { createDeps } from "../src/compose/create-deps.ts";
import { isOver } from "../src/domain/deadline.ts";
import { dispatchRecorded } from "../src/events/dispatch.ts";
import { settleTask } from "../src/features/tasks/service.ts";
import { DAY_MS, MINUTE_MS, systemClock } from "../src/platform/clock.ts";
import { consoleLog, describeError } from "../src/platform/log.ts";

const TASK_ID = "task_id";
const DEADLINE = "deadline";
/** The runtime takes no alarm after the year 2189, so a far deadline is reached in steps. */
const LONGEST_SLEEP_MS = 365 * DAY_MS;

/** One per open task: wakes at its deadline and lets the task move on. */
export class TaskDeadline extends DurableObject<Env> {
	/** Sets the alarm. `deadline` in milliseconds since the epoch. */
	async schedule(taskId: string, deadline: number): Promise<void> {
		await this.ctx.storage.put({ [TASK_ID]: taskId, [DEADLINE]: deadline });
		await this.#sleepUntil(deadline);
	}

	async #sleepUntil(deadline: number): Promise<void> {
		await this.ctx.storage.setAlarm(Math.min(deadline, systemClock.now() + LONGEST_SLEEP_MS));
	}

	override async alarm(): Promise<void> {
		const taskId = await this.ctx.storage.get<string>(TASK_ID);
		if (taskId === undefined) return;
		const deadline = (await this.ctx.storage.get<number>(DEADLINE)) ?? 0;
		if (!isOver({ deadline }, systemClock.now())) return this.#sleepUntil(deadline);
		try {
			const deps = createDeps({ env: this.env, background: (work) => this.ctx.waitUntil(work), readFrom: "first-primary" });
			const later = await settleTask(deps, taskId);
			await dispatchRecorded(deps);
			// The deadline moved, and this object has not been told, or was told of two moves in the wrong order.
			if (later !== null) return this.schedule(taskId, later);
			await this.ctx.storage.deleteAll();
		} catch (error) {
			consoleLog.error("deadline_alarm_failed", { task_id: taskId, ...describeError(error) });
			// The runtime retries an alarm that throws only six times.
			await this.ctx.storage.setAlarm(systemClock.now() + MINUTE_MS);
		}
	}
}
