import type { ReservedPart } from "../../../db/schema/ledger.ts";
import { type Ceilings, type DayScope, DEPLOYMENT, type Fund } from "../../../domain/spend.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfNextUtcDay, toIso } from "../../../platform/clock.ts";
import { CHECKPOINT } from "../../judging/rules.ts";

/** A reservation outlives the attempt that it is for, so that a consumer which ends late still settles it. */
export const RESERVATION_TTL_MS = CHECKPOINT.breakOffAfterMs + 5 * MINUTE_MS;

/** A payer can always have this number of typical evaluations per day, and of its own per task. */
const LEAST_EVALUATIONS = 3;
/** The typical cost is computed from the last days once they have this number of evaluations. */
const MIN_EVALUATIONS = 100;
/** Before that, a usual evaluation costs as much as this number of criteria. */
const USUAL_CRITERIA = 5;
/** This part of the deployment's day is kept for the first evaluation of an agent on a task. */
const KEPT_FOR_FIRST = 1 / 5;
/** An agent pays for at most this number of checks, because the poster has written the rubric. */
const CHECKS_OF_SUBMITTER = 20;
/** All strangers that share addresses have this many shares together. */
const SHARES_OF_STRANGERS = 5;
/** Payers that share addresses with strangers also count in this scope. */
const STRANGERS = "payer:strangers";

/** A job would cost this. */
export interface JobEstimate {
	/** The amount is in millionths of a US dollar. */
	readonly amount: number;
	/** The estimate is for this many criteria. */
	readonly criteria: number;
	/** The criteria have this many checks. */
	readonly checks: number;
}

/** A payer pays for a job. The platform pays for final rounds and reviews, so they have none. */
export interface Payers {
	readonly submitter: string | null;
	readonly poster: string | null;
	/** The id of the task's poster. */
	readonly posterId: string;
}

export interface ScopePart extends ReservedPart {
	readonly kind: DayScope;
	/** The scope may have this much on the day. Null sets no limit. */
	readonly most: number | null;
}

/** Returns the share of an evaluation that its submitter pays. The poster pays the rest. */
export function shareOfSubmitter(checks: number): number {
	return checks <= CHECKS_OF_SUBMITTER ? 1 : CHECKS_OF_SUBMITTER / checks;
}

/**
 * Divides an estimate among the scopes of the day.
 *
 * @param usual What an evaluation typically cost in the last days. Null if there were too few.
 * @param isFirst True for the first evaluation of an agent on the task.
 */
export function divideEstimate(
	{ amount, criteria, checks }: JobEstimate,
	{ submitter, poster, posterId }: Payers,
	limits: { readonly ceilings: Ceilings; readonly payerSharePercent: number; readonly usual: number | null; readonly isFirst: boolean },
): ScopePart[] {
	const day = limits.ceilings.deployment_day_micro_usd;
	const usual = limits.usual ?? (amount / Math.max(1, criteria)) * USUAL_CRITERIA;
	const payerDay = day === null ? null : Math.ceil(Math.max((day * limits.payerSharePercent) / 100, LEAST_EVALUATIONS * usual));
	const own = submitter === null ? 0 : shareOfSubmitter(checks);
	const part = (scope: string, facts: Omit<ScopePart, "scope" | "amount">): ScopePart => {
		return { scope, amount: Math.ceil(amount * facts.share), ...facts };
	};
	const payers = new Map<string, number>();
	const add = (payer: string | null, share: number) => {
		if (payer !== null && share > 0) payers.set(payer, (payers.get(payer) ?? 0) + share);
	};
	add(submitter, own);
	add(poster, 1 - own);
	const strangers = [...payers].reduce((sum, [payer, share]) => (isStranger(payer) ? sum + share : sum), 0);
	const deployment = day === null || limits.isFirst ? day : Math.floor(day * (1 - KEPT_FOR_FIRST));
	const together = payerDay === null ? null : payerDay * SHARES_OF_STRANGERS;
	return [
		part(DEPLOYMENT, { kind: "deployment_day", share: 1, most: deployment }),
		part(`poster:${posterId}`, { kind: "poster_day", share: 1, most: limits.ceilings.poster_day_micro_usd }),
		...[...payers].map(([payer, share]) => part(`payer:${payer}`, { kind: "payer_day", share, most: payerDay })),
		...(strangers === 0 ? [] : [part(STRANGERS, { kind: "payer_day", share: strangers, most: together })]),
	];
}

/** Returns true for a payer that shares its IP address with strangers. */
function isStranger(payer: string): boolean {
	return payer.startsWith("agent:");
}

/** Returns what an evaluation usually costs. Null if the days have too few evaluations to tell. */
export function usualCost({ settled, evaluations }: { readonly settled: number; readonly evaluations: number }): number | null {
	return evaluations < MIN_EVALUATIONS ? null : settled / evaluations;
}

/** The usual cost is that of these last days. */
export const USUAL_DAYS = 7;

// The task's own scope.

/** This part of what is not kept for the end is kept for the first evaluations of agents. */
const KEPT_FOR_FIRST_OF_TASK = 1 / 2;
/** A payer may use this part of a task's ceiling, and so may the poster's dry runs, judge checks and re-evaluations together. */
const SHARE_OF_TASK = 1 / 10;

interface TaskLimit {
	/** Null without a ceiling. */
	readonly ceiling: number | null;
	/** This part of the ceiling is kept for jobs that come at the end, from 0 to 1. */
	readonly keptShare: number;
}

interface PartLevel {
	/** Settled and reserved together. */
	readonly used: number;
	/** The number of evaluations, those under way included. */
	readonly evaluations: number;
}

/** A task's ceiling is used like this, in millionths of a US dollar. What is reserved counts. */
export interface TaskLevel {
	readonly total: number;
	/** Evaluations of agents that had one before. */
	readonly further: number;
	/** Dry runs, judge checks and re-evaluations by the owner. */
	readonly poster: PartLevel;
	/** The job's payer. */
	readonly payer: PartLevel;
}

export type TaskRoom = "room" | "task_full" | "share_used";

/** Decides whether a task's ceiling has room for a job. */
export function findTaskRoom(
	wanted: { readonly amount: number; readonly fund: Fund; readonly isFirst: boolean },
	level: TaskLevel,
	{ ceiling, keptShare }: TaskLimit,
): TaskRoom {
	if (ceiling === null) return "room";
	const { amount, fund, isFirst } = wanted;
	const rest = fund === "all" ? ceiling : Math.floor(ceiling * (1 - keptShare));
	if (level.total + amount > rest) return "task_full";
	if (fund === "all") return "room";
	if (fund === "agents" && !isFirst && level.further + amount > rest * KEPT_FOR_FIRST_OF_TASK) return "task_full";
	const part = fund === "agents" ? level.payer : level.poster;
	const isWithinShare = part.used + amount <= ceiling * SHARE_OF_TASK || part.evaluations < LEAST_EVALUATIONS;
	return isWithinShare ? "room" : "share_used";
}

/** Returns true if the ceiling of a task that has cost nothing yet has room for one evaluation. */
export function hasRoomAtAll(amount: number, limit: TaskLimit): boolean {
	const nothing = { used: 0, evaluations: 0 };
	const level = { total: 0, further: 0, poster: nothing, payer: nothing };
	return findTaskRoom({ amount, fund: "agents", isFirst: true }, level, limit) === "room";
}

/** Returns true if one evaluation costs more than a payer may use, or if the part that is kept for the end cannot pay for its number of works. */
export function isTooDear(
	cost: { readonly evaluation: number; readonly replacing: number },
	{ ceiling, keptShare, keptWorks }: TaskLimit & { readonly keptWorks: number },
): boolean {
	if (ceiling === null) return false;
	return cost.evaluation > ceiling * SHARE_OF_TASK || cost.replacing * keptWorks > ceiling * keptShare;
}

const NO_ROOM: Readonly<Record<Exclude<TaskRoom, "room">, Readonly<Record<Fund, string>>>> = {
	task_full: {
		agents: "What judging this task may cost has no room for this evaluation.",
		poster: "What judging this task may cost has no room for this run.",
		all: "What judging this task may cost has no room for this evaluation.",
	},
	share_used: {
		agents: "You have used your share (a tenth) of what judging this task may cost.",
		poster: "The dry runs, judge checks and re-evaluations of this task have used their share (a tenth) of what judging it may cost.",
		all: "What judging this task may cost has no room for this evaluation.",
	},
};

/** Gives the reason why a job ends when the task's ceiling is reached. */
export function describeNoRoom(room: Exclude<TaskRoom, "room">, fund: Fund): string {
	return NO_ROOM[room][fund];
}

export const TOO_DEAR_WARNING =
	"Judging one submission is expected to cost more than a tenth of what judging the task may cost, or the final round cannot afford ten candidates. Agents get few evaluations, and the round may not take place. Use fewer checks, or ask the operator to raise the ceiling.";

export const NO_ROOM_WARNING =
	"Judging this task has reached its spending ceiling. New submissions end without a score and get their slots back, until an operator raises the ceiling.";

// Waits for a day.

export interface CeilingWait {
	readonly message: string;
	/** The job does not fit under these ceilings. */
	readonly scopes: readonly DayScope[];
	readonly delayMs: number;
}

/** A scope of a job, as it was read after the reservation failed. */
export interface ScopeLevel extends ScopePart {
	readonly settled: number;
	readonly reserved: number;
}

const RESERVED_WAIT = {
	message: "Other evaluations have reserved what is left under a spending ceiling. This one continues when they have ended.",
	delayMs: MINUTE_MS,
};

/**
 * Describes what a job waits for after its reservation failed, and how long. If several scopes are full, the longest wait counts.
 *
 * @param jitter From 0 up to but not including 1, so that jobs that wait for the same moment do not all come at once.
 */
export function describeCeilingWait(
	levels: readonly ScopeLevel[],
	{ now, jitter }: { readonly now: number; readonly jitter: number },
): CeilingWait {
	const tomorrow = startOfNextUtcDay(now);
	const waits = levels.flatMap(({ kind, amount, most, settled, reserved }) => {
		if (most === null || settled + reserved + amount <= most) return [];
		const isTooLow = amount > most;
		if (!isTooLow && settled + amount <= most) return [{ ...RESERVED_WAIT, kind, isTooLow }];
		// A raised ceiling wakes waiting jobs. The wait also ends hourly, for tasks that it could not reach.
		const delayMs = Math.min(HOUR_MS, tomorrow - now);
		return [{ kind, isTooLow, delayMs, message: `${SCOPE_NAMES[kind]} ${isTooLow ? TOO_LOW : waitsForDay(tomorrow)}` }];
	});
	// The reason must not promise the next day if one of the ceilings is too low on every day.
	const [first] = waits.toSorted((a, b) => Number(b.isTooLow) - Number(a.isTooLow) || b.delayMs - a.delayMs);
	const delayMs = Math.max(RESERVED_WAIT.delayMs, ...waits.map((wait) => wait.delayMs));
	return {
		message: first?.message ?? RESERVED_WAIT.message,
		scopes: [...new Set(waits.map(({ kind }) => kind))],
		delayMs: Math.ceil(delayMs + jitter * RESERVED_WAIT.delayMs),
	};
}

const SCOPE_NAMES: Readonly<Record<DayScope, string>> = {
	payer_day: "Judging for this person or network",
	poster_day: "Judging the tasks of this poster",
	deployment_day: "Judging on this platform",
};
const TOO_LOW =
	"has a spending ceiling that is lower than the possible cost of this evaluation. It continues when the ceiling is raised, and otherwise ends after 24 hours.";

function waitsForDay(tomorrow: number): string {
	return `has too little left under its spending ceiling for today. The evaluation continues by itself at ${toIso(tomorrow)}, or when the ceiling is raised.`;
}

export const DAYS_KEPT_MS = 400 * DAY_MS;
/** Yesterday's sums of payers are kept, because clocks differ. */
export const PAYER_DAYS_KEPT = 2;
/** The sweep looks this number of days back, in case it did not run for a while. */
export const PAYER_DAYS_LOOKED_AT = 30;
