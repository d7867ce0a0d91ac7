import { addSpend, CEILING_SCOPES, type CeilingScope, isWithin, type Spend, type SpendCeiling } from "../../../domain/spend.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfNextUtcDay, toIso } from "../../../platform/clock.ts";

export type Ceilings = Readonly<Record<CeilingScope, SpendCeiling>>;

/** A level is the part of a ceiling that is used. */
export interface SpendLevel {
	readonly used: Spend;
	/** Evaluations under way reserve this. */
	readonly reserved: Spend;
}

export type SpendLevels = Readonly<Record<CeilingScope, SpendLevel>>;

/** One percent of a cent has this many millionths of a dollar. */
const MICRO_USD_PER_CENT_PERCENT = 100;

export function ceilingsOf(
	{ budgetCents }: { readonly budgetCents: number },
	settings: {
		readonly task: SpendCeiling;
		readonly taskBudgetPercent: number | null;
		readonly posterDay: SpendCeiling;
		readonly deploymentDay: SpendCeiling;
	},
): Ceilings {
	const { task, taskBudgetPercent, posterDay, deploymentDay } = settings;
	const share = taskBudgetPercent === null ? null : Math.floor(budgetCents * taskBudgetPercent * MICRO_USD_PER_CENT_PERCENT);
	return { task: { ...task, costMicroUsd: smaller(task.costMicroUsd, share) }, poster_day: posterDay, deployment_day: deploymentDay };
}

function smaller(a: number | null, b: number | null): number | null {
	return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

export function hasCeiling(ceilings: Ceilings): boolean {
	return CEILING_SCOPES.some((scope) => ceilings[scope].tokens !== null || ceilings[scope].costMicroUsd !== null);
}

/** Returns true if the amount stays within a ceiling, next to what is used and what others may use now. */
export function hasRoomFor(wanted: Spend, { used, reserved }: SpendLevel, ceiling: SpendCeiling): boolean {
	return isWithin(addSpend(addSpend(used, reserved), wanted), ceiling);
}

/** The final round may use all of a task's ceiling. This part of it is kept for the round. Contract: ruling "Spending". */
const ROUND_SHARE = 0.2;
/** The submissions of one agent may use this part of a task's ceiling. */
const AGENT_SHARE = 0.1;
/** The share of an agent is enough for this number of evaluations, however dear they are. */
const LEAST_EVALUATIONS = 3;

/** Computes what work before the final round may use of a task's ceiling. */
export function openPart(ceiling: SpendCeiling, { finalRound }: { readonly finalRound: boolean }): SpendCeiling {
	return finalRound ? shareOf(ceiling, 1 - ROUND_SHARE) : ceiling;
}

function shareOf({ tokens, costMicroUsd }: SpendCeiling, share: number): SpendCeiling {
	const part = (most: number | null) => (most === null ? null : Math.floor(most * share));
	return { tokens: part(tokens), costMicroUsd: part(costMicroUsd) };
}

/**
 * Returns true if an evaluation of an agent's submission stays within the agent's share of a task's ceiling. Otherwise a few identities
 * could use up what all others are judged with. Contract: ruling "Spending".
 *
 * @param evaluation `calls` is the number of calls that an evaluation usually takes: one for each sample.
 */
export function isWithinShare(
	ofAgent: SpendLevel & {
		/** The number of calls to models that its evaluations have made, those under way included. */
		readonly calls: number;
	},
	evaluation: { readonly wanted: Spend; readonly calls: number },
	ceiling: SpendCeiling,
): boolean {
	if (ofAgent.calls + evaluation.calls <= LEAST_EVALUATIONS * evaluation.calls) return true;
	return hasRoomFor(evaluation.wanted, ofAgent, shareOf(ceiling, AGENT_SHARE));
}

/** A job that waits for a ceiling ends without a score after this time. Contract: ruling "Spending". */
const MAX_CEILING_WAIT_MS = DAY_MS;

/** @param since When the job began to wait for a ceiling, in milliseconds since the epoch. */
export function hasWaitedTooLong(since: number, now: number): boolean {
	return now - since >= MAX_CEILING_WAIT_MS;
}

/** Re-evaluations are refused from this share of a ceiling on. */
const NEAR_SHARE = 0.8;

/** Finds the scopes that are near their ceiling or at it. */
export function findNear(levels: SpendLevels, ceilings: Ceilings): CeilingScope[] {
	const isBelow = (used: number, most: number | null) => most === null || used < most * NEAR_SHARE;
	return CEILING_SCOPES.filter((scope) => {
		const { tokens, costMicroUsd } = addSpend(levels[scope].used, levels[scope].reserved);
		return !isBelow(tokens, ceilings[scope].tokens) || !isBelow(costMicroUsd, ceilings[scope].costMicroUsd);
	});
}

export interface CeilingWait {
	readonly message: string;
	/** The evaluation does not fit under these ceilings. */
	readonly scopes: readonly CeilingScope[];
	readonly delayMs: number;
}

const LOOK_MS = 5 * MINUTE_MS;
const RESERVED_WAIT = {
	message: "Other evaluations have reserved what is left under a spending ceiling of judging. This one continues when they have ended.",
	delayMs: MINUTE_MS,
};

/**
 * Describes what an evaluation waits for that asked for too much, and how long. The longest wait counts.
 *
 * @param jitter From 0 up to but not including 1, so that evaluations which wait for the same moment do not all come at once.
 */
export function describeCeilingWait(
	{ wanted, levels, ceilings }: { readonly wanted: Spend; readonly levels: SpendLevels; readonly ceilings: Ceilings },
	{ now, jitter }: { readonly now: number; readonly jitter: number },
): CeilingWait {
	const waits = CEILING_SCOPES.flatMap((scope) => {
		if (hasRoomFor(wanted, levels[scope], ceilings[scope])) return [];
		const isTooLow = !isWithin(wanted, ceilings[scope]);
		if (isWithin(addSpend(levels[scope].used, wanted), ceilings[scope])) return [{ ...RESERVED_WAIT, scope, isTooLow }];
		const wait = waitFor(scope, now);
		return [{ ...wait, scope, isTooLow, message: isTooLow ? `${SCOPE_NAMES[scope]} ${TOO_LOW}` : wait.message }];
	});
	// The reason must not promise the next day if one of the ceilings is too low on every day.
	const [first] = waits.toSorted((a, b) => Number(b.isTooLow) - Number(a.isTooLow) || b.delayMs - a.delayMs);
	const delayMs = Math.max(RESERVED_WAIT.delayMs, ...waits.map((wait) => wait.delayMs));
	return {
		message: first?.message ?? RESERVED_WAIT.message,
		scopes: waits.map(({ scope }) => scope),
		delayMs: Math.ceil(delayMs + jitter * RESERVED_WAIT.delayMs),
	};
}

/** Describes what an evaluation waits for whose agent has used its share of the task's ceiling. */
export function describeShareWait(jitter: number): CeilingWait {
	return {
		message:
			"The submissions of this agent have used their share of what judging this task may cost, which is a tenth. The evaluation continues when the ceiling is raised, and ends after 24 hours.",
		scopes: ["task"],
		delayMs: Math.ceil(LOOK_MS + jitter * RESERVED_WAIT.delayMs),
	};
}

function waitFor(scope: CeilingScope, now: number): Omit<CeilingWait, "scopes"> {
	const tomorrow = startOfNextUtcDay(now);
	// A raised ceiling wakes waiting jobs. The wait also ends hourly, for tasks that it could not reach.
	const untilTomorrow = Math.min(HOUR_MS, tomorrow - now);
	switch (scope) {
		case "task":
			return {
				message: `${SCOPE_NAMES.task} has less left under its spending ceiling than this evaluation can use. ${UNTIL_RAISED}`,
				delayMs: LOOK_MS,
			};
		case "poster_day":
		case "deployment_day":
			return { message: waitsForDay(SCOPE_NAMES[scope], tomorrow), delayMs: untilTomorrow };
	}
}

const SCOPE_NAMES: Readonly<Record<CeilingScope, string>> = {
	task: "Judging this task",
	poster_day: "Judging the tasks of this poster",
	deployment_day: "Judging on this platform",
};
const UNTIL_RAISED = "The evaluation continues when the ceiling is raised, and ends after 24 hours.";
const TOO_LOW = `has a spending ceiling that is lower than what this evaluation can use. ${UNTIL_RAISED}`;

function waitsForDay(what: string, tomorrow: number): string {
	return `${what} has less left under its spending ceiling for today than this evaluation can use. The evaluation goes on by itself at ${toIso(tomorrow)}, or when the ceiling is raised.`;
}

/**
 * Says why a re-evaluation is refused near these ceilings, and after how many seconds to ask again. Returns null when only a raised ceiling
 * helps.
 */
export function describeNearCeiling(near: readonly CeilingScope[], now: number): { message: string; retryAfterSeconds: number | null } {
	const percent = NEAR_SHARE * 100;
	if (near.includes("task")) {
		return {
			message: `Judging this task has used ${percent} % of its spending ceiling. What is left is for first evaluations. It may work again when the operator raises the ceiling.`,
			retryAfterSeconds: null,
		};
	}
	const tomorrow = startOfNextUtcDay(now);
	const what = SCOPE_NAMES[near.includes("deployment_day") ? "deployment_day" : "poster_day"];
	return {
		message: `${what} has used ${percent} % of today's spending ceiling. What is left is for first evaluations. Try again after ${toIso(tomorrow)}.`,
		retryAfterSeconds: (tomorrow - now) / 1000,
	};
}

export const USAGE_DAYS_KEPT_MS = 400 * DAY_MS;
