import { type JudgeIdentity, judgeFingerprint } from "../../../domain/comparison.ts";
import type { EvaluationRound } from "../../../domain/evaluation-rounds.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/clock.ts";
import { retryDelayMs } from "../../judging/rules.ts";

/** A consumer that has not renewed its lease for this long has died. */
export const LEASE_MS = 90 * SECOND_MS;

/** How often a consumer renews its lease: often enough that one failed renewal does not lose it. */
export const LEASE_RENEWAL_MS = 30_000;

/** Waits for rate limits extend a job's time limit by this much in total. Waits for ceilings come in addition. */
export const MAX_WAITING_MS = 24 * 60 * MINUTE_MS;
const MAX_WAIT_MS = 12 * 60 * MINUTE_MS;
/** The longest back-off without a `Retry-After`. */
const MAX_BACK_OFF_STEPS = 4;

/** Milliseconds of a wait that costs no attempt: what `Retry-After` says, at most 12 h, or a back-off of 5 s to 135 s. */
export function waitDelayMs(attempts: number, retryAfterSeconds: number | null): number {
	if (retryAfterSeconds === null) return retryDelayMs(Math.min(attempts, MAX_BACK_OFF_STEPS), null);
	return Math.min(MAX_WAIT_MS, Math.max(1_000, retryAfterSeconds * 1000));
}

interface Comparable extends JudgeIdentity {
	readonly round: EvaluationRound;
	readonly rubricVersion: number;
}

/**
 * The evaluations that make up a submission's score: only those of the final round, once there is one, else those by the same
 * judge, models, prompt version and rubric as the newest. The median of them counts, so that asking again cannot be farmed.
 *
 * @param earlier Oldest first.
 */
export function countedEvaluations<Evaluation extends Comparable>(earlier: readonly Evaluation[], newest: Evaluation): Evaluation[] {
	const all = [...earlier, newest];
	const final = all.filter(({ round }) => round === "final");
	if (final.length > 0) return final;
	const group = judgeFingerprint(newest);
	return all.filter((evaluation) => evaluation.rubricVersion === newest.rubricVersion && judgeFingerprint(evaluation) === group);
}

/** What the task's owner reads when its image cannot be started. */
export function imageWarning({ message, ownerMessage }: { readonly message: string; readonly ownerMessage: string | null }): string {
	return `Submissions are not judged and get their slots back, because the task's image could not be started. ${ownerMessage ?? message}`;
}
