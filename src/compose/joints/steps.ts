// The steps that extensions take at the turning points of a task, in the same transaction and in this order.
import { takeEndedStep } from "../../extensions/final-round/take-ended-step.ts";
import { startJudgeCheck } from "../../extensions/judge-check/start-judge-check.ts";
import type { Steps } from "../../ports/task.ts";

export const STEPS: Steps = {
	published: [startJudgeCheck],
	ended: [takeEndedStep],
};
