// Records for operators when the judge's models last worked, and when they last failed.
import { MINUTE_MS } from "../../platform/clock.ts";
import { describeError } from "../../platform/log.ts";
import { RecentValue } from "../../platform/recent.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Judge, JudgeWait } from "../../ports/judge.ts";
import { storeJudgeHealth } from "./store.ts";

/** An isolate records a success at most once a minute, and the same fault at most once a minute. */
const noted = { success: new RecentValue<string>(MINUTE_MS), fault: new RecentValue<string>(MINUTE_MS) };

/** Records that the models have just worked. */
export function noteJudged(deps: Deps, { models }: Pick<Judge, "models">): void {
	const now = deps.clock.now();
	if (models.length === 0 || noted.success.find(now) !== null) return;
	noted.success.keep("judged", now);
	write(deps, { succeededAt: now });
}

/**
 * Records that an evaluation must wait for models. Does nothing if the attempt only ran out of time or the supplier was not called, because
 * neither says anything new about the models.
 */
export function noteWaiting(deps: Deps, { reason, message, supplierWords, breaker }: JudgeWait): void {
	const now = deps.clock.now();
	const said = `${message} ${supplierWords}`;
	if (reason === "continues" || breaker === "open" || noted.fault.find(now) === said) return;
	noted.fault.keep(said, now);
	write(deps, { failedAt: now, fault: { reason, message, supplierWords } });
}

function write(deps: Deps, change: Parameters<typeof storeJudgeHealth>[1]): void {
	const writing = storeJudgeHealth({ db: deps.db.fork() }, change);
	deps.background(writing.catch((error: unknown) => deps.log.error("judge_health_not_written", describeError(error))));
}
