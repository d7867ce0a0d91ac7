import { type EvalMode, MODES } from "../../domain/modes.ts";
import { MINUTE_MS } from "../../platform/clock.ts";
import type { Statement } from "../../ports/database.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { JUDGE_CASES } from "../competition/judge-check/cases/index.ts";
import * as statements from "./statements.ts";

interface PublishedTask {
	readonly id: string;
	readonly evalMode: EvalMode;
	readonly evalTimeoutSeconds: number;
}

export interface NewJudgeCheck {
	/** They belong in the commit that publishes the task. */
	readonly statements: readonly Statement[];
	/** Trials to enqueue after the commit. */
	readonly trialIds: readonly string[];
}

/** A case waits its turn behind submissions, and a provider may be busy. */
const GIVE_UP_MARGIN_MS = 30 * MINUTE_MS;

/** The judge check of a task that is published now: one trial for each case that applies. None where it is switched off. */
export function newJudgeCheck(ctx: Ctx, { id: taskId, evalMode, evalTimeoutSeconds }: PublishedTask): NewJudgeCheck {
	const cases = ctx.config.judgeCheck ? JUDGE_CASES.filter(({ appliesTo }) => appliesTo(evalMode)) : [];
	const now = ctx.clock.now();
	const giveUpAt = now + MODES[evalMode].timeLimitMs(evalTimeoutSeconds) + GIVE_UP_MARGIN_MS;
	const rows = cases.map(({ name, expectedAtMost }) => {
		return { id: ctx.ids.next(), taskId, name, expectedAtMost, origin: ctx.baseUrl, dueAt: now, giveUpAt, createdAt: now };
	});
	return { statements: rows.map((row) => statements.insertCase(ctx, row)), trialIds: rows.map(({ id }) => id) };
}

/** Notifications of the new task go out before its cases are judged: locally one thread does both. */
const CHECK_DELAY_SECONDS = 2;

/** Sends the messages for a new judge check, with a short delay. */
export async function enqueueJudgeCheck(deps: Deps, { trialIds }: NewJudgeCheck): Promise<void> {
	const delay = { delaySeconds: CHECK_DELAY_SECONDS };
	await Promise.all(trialIds.map((jobId) => deps.queues.evaluation.send({ jobId, of: "trial" }, delay)));
}

/** Sends the message for a trial. If it is lost, a sweep sends another one. */
export async function enqueueTrial(deps: Deps, trialId: string): Promise<void> {
	await deps.queues.evaluation.send({ jobId: trialId, of: "trial" });
}
