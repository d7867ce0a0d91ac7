import type { ReservedPart } from "../../../db/schema/ledger.ts";
import { type Ceilings, type DayScope, DEPLOYMENT, type Fund } from "../../../domain/spend.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfNextUtcDay, toIso } from "../../../platform/clock.ts";
import { CHECKPOINT } from "../../judging/rules.ts";

/** A reservation outlives its attempt, so that a late consumer can still settle it. */
export const RESERVATION_TTL_MS = CHECKPOINT.breakOffAfterMs + 5 * MINUTE_MS;

/** However small its share is, a payer can have this number of typical evaluations per day, and this number of evaluations on each task. */
const LEAST_EVALUATIONS = 3;
/** Once the last days have this number of evaluations, the typical cost is computed from them. */
const MIN_EVALUATIONS = 100;
/** As long as there are too few evaluations, a typical one is assumed to have this number of criteria. */
const USUAL_CRITERIA = 5;
/** The part of the deployment's daily ceiling that is set aside for agents' first evaluations on a task. */
const KEPT_FOR_FIRST = 1 / 5;
/** The submitter pays for at most this number of checks, because the poster wrote the rubric. */
const CHECKS_OF_SUBMITTER = 20;
/** Payers that share an IP address with strangers may together use this many times the daily share of one payer. */
const SHARES_OF_STRANGERS = 5;
/** The scope in which payers that share an IP address with strangers are counted together. */
const STRANGERS = "payer:strangers";

export interface JobEstimate {
	/** The expected cost, in millionths of a US dollar. */
	readonly amount: number;
	readonly criteria: number;
	/** The number of checks of these criteria. */
	readonly checks: number;
}

/** The payers of a job. Jobs of final rounds and reviews have none, because the platform pays for them. */
export interface Payers {
	readonly submitter: string | null;
	readonly poster: string | null;
	readonly posterId: string;
}

export interface ScopePart extends ReservedPart {
	readonly kind: DayScope;
	/** The scope's limit for the day, in millionths of a US dollar. Null means no limit. */
	readonly most: number | null;
}

/** Returns the share of an evaluation that its submitter pays. The poster pays the rest. */
export function shareOfSubmitter(checks: number): number {
	return checks <= CHECKS_OF_SUBMITTER ? 1 : CHECKS_OF_SUBMITTER / checks;
}

/**
 * Returns how much of an estimate counts towards each daily ceiling: those of the deployment, of the poster and of the payers.
 *
 * @param usual The typical cost of an evaluation in the last days. Null if there were too few evaluations.
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

/** Returns the typical cost of an evaluation. Null if there were too few evaluations to tell. */
export function usualCost({ settled, evaluations }: { readonly settled: number; readonly evaluations: number }): number | null {
	return evaluations < MIN_EVALUATIONS ? null : settled / evaluations;
}

/** The typical cost is computed over this number of days. */
export const USUAL_DAYS = 7;

// The task's own scope.

/** The fraction of a task's ceiling, without the part kept for later jobs, that is set aside for agents' first evaluations. */
const KEPT_FOR_FIRST_OF_TASK = 1 / 2;
/**
 * The part of a task's ceiling that each payer may use. The poster gets the same part for dry runs, judge checks, proposals of checks and
 * re-evaluations together.
 */
const SHARE_OF_TASK = 1 / 10;

interface TaskLimit {
	/** The task's spending ceiling in millionths of a US dollar. Null if there is none. */
	readonly ceiling: number | null;
	/** The fraction of the ceiling, from 0 to 1, that is set aside for later jobs, such as those of the final round. */
	readonly keptShare: number;
}

interface PartLevel {
	/** The settled and the reserved cost together. */
	readonly used: number;
	/** The number of evaluations, including running ones. */
	readonly evaluations: number;
}

/** What has been used of a task's ceiling, including reservations, in millionths of a US dollar. */
export interface TaskLevel {
	readonly total: number;
	/** What evaluations other than an agent's first one have used. */
	readonly further: number;
	/** What dry runs, judge checks, proposals of checks and re-evaluations by the owner have used. */
	readonly poster: PartLevel;
	/** What the job's payer has used. */
	readonly payer: PartLevel;
}

export type TaskRoom = "room" | "task_full" | "share_used";

/** Decides whether a task's ceiling has room for a job. */
export function findTaskRoom(
	wanted: {
		readonly amount: number;
		/** The share of the amount that the job's payer pays, from 0 to 1. */
		readonly share: number;
		readonly fund: Fund;
		readonly isFirst: boolean;
	},
	level: TaskLevel,
	{ ceiling, keptShare }: TaskLimit,
): TaskRoom {
	if (ceiling === null) return "room";
	const { amount, share, fund, isFirst } = wanted;
	const rest = fund === "all" ? ceiling : Math.floor(ceiling * (1 - keptShare));
	if (level.total + amount > rest) return "task_full";
	if (fund === "all") return "room";
	if (fund === "agents" && !isFirst && level.further + amount > rest * KEPT_FOR_FIRST_OF_TASK) return "task_full";
	const [part, own] = fund === "agents" ? [level.payer, amount * share] : [level.poster, amount];
	const isWithinShare = part.used + own <= ceiling * SHARE_OF_TASK || part.evaluations < LEAST_EVALUATIONS;
	return isWithinShare ? "room" : "share_used";
}

/** Returns true if the ceiling of a task that has cost nothing yet has room for one evaluation. */
export function hasRoomAtAll(amount: number, limit: TaskLimit): boolean {
	const nothing = { used: 0, evaluations: 0 };
	const level = { total: 0, further: 0, poster: nothing, payer: nothing };
	return findTaskRoom({ amount, share: 1, fund: "agents", isFirst: true }, level, limit) === "room";
}

/**
 * Returns true if one evaluation costs more than a payer may use, or if the part kept for later jobs is too small. That part must pay for
 * `keptWorks` submissions.
 */
export function isTooDear(
	cost: { readonly evaluation: number; readonly replacing: number },
	{ ceiling, keptShare, keptWorks }: TaskLimit & { readonly keptWorks: number },
): boolean {
	if (ceiling === null) return false;
	return cost.evaluation > ceiling * SHARE_OF_TASK || cost.replacing * keptWorks > ceiling * keptShare;
}

const NO_ROOM: Readonly<Record<Exclude<TaskRoom, "room">, Readonly<Record<Fund, string>>>> = {
	task_full: {
		agents: "This task's spending ceiling has no room for another evaluation.",
		poster: "This task's spending ceiling has no room for this run.",
		all: "This task's spending ceiling has no room for another evaluation.",
	},
	share_used: {
		agents: "You have used your share (a tenth) of this task's spending ceiling.",
		poster:
			"Dry runs, judge checks, proposals of checks and re-evaluations have used their share (a tenth) of this task's spending ceiling.",
		all: "This task's spending ceiling has no room for another evaluation.",
	},
};

/** Returns why a job ends when the task's ceiling is reached. */
export function describeNoRoom(room: Exclude<TaskRoom, "room">, fund: Fund): string {
	return NO_ROOM[room][fund];
}

export const TOO_DEAR_WARNING =
	"Judging one submission is expected to cost more than a tenth of this task's spending ceiling, or the ceiling is too low for ten candidates in the final round. Agents will get few evaluations, and the final round may not take place. Use fewer checks, or ask the operator to raise the ceiling.";

export const NO_ROOM_WARNING =
	"Judging has used up this task's spending ceiling. Until an operator raises the ceiling, new submissions end without a score, and agents get their slots back.";

export interface CeilingWait {
	readonly message: string;
	/** The scopes that have no room for the job. */
	readonly scopes: readonly DayScope[];
	readonly delayMs: number;
}

/** The state of one of the job's scopes, read after the reservation failed. */
export interface ScopeLevel extends ScopePart {
	readonly settled: number;
	readonly reserved: number;
}

const RESERVED_WAIT = {
	message: "Other evaluations have reserved the rest of a spending ceiling. This evaluation continues when they have ended.",
	delayMs: MINUTE_MS,
};

/**
 * Describes what a job waits for after its reservation failed, and for how long. If several scopes are full, the longest wait counts.
 *
 * @param jitter From 0 up to but not including 1. Spreads jobs that wait for the same moment.
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
		// Raising a ceiling sends a message that wakes waiting jobs. The wait ends after an hour anyway, in case that message was lost.
		const delayMs = Math.min(HOUR_MS, tomorrow - now);
		return [{ kind, isTooLow, delayMs, message: `${SCOPE_NAMES[kind]} ${isTooLow ? TOO_LOW : waitsForDay(tomorrow)}` }];
	});
	// If a ceiling is too low for the job on any day, the message must not promise the next day.
	const [first] = waits.toSorted((a, b) => Number(b.isTooLow) - Number(a.isTooLow) || b.delayMs - a.delayMs);
	const delayMs = Math.max(RESERVED_WAIT.delayMs, ...waits.map((wait) => wait.delayMs));
	return {
		message: first?.message ?? RESERVED_WAIT.message,
		scopes: [...new Set(waits.map(({ kind }) => kind))],
		delayMs: Math.ceil(delayMs + jitter * RESERVED_WAIT.delayMs),
	};
}

const SCOPE_NAMES: Readonly<Record<DayScope, string>> = {
	payer_day: "The daily spending ceiling for this person or network",
	poster_day: "The daily spending ceiling for this poster's tasks",
	deployment_day: "The daily spending ceiling of this platform",
};
const TOO_LOW =
	"is lower than the possible cost of this evaluation. The evaluation continues when the ceiling is raised; otherwise it ends after 24 hours.";

function waitsForDay(tomorrow: number): string {
	return `has too little left today for this evaluation. The evaluation continues automatically at ${toIso(tomorrow)}, or when the ceiling is raised.`;
}

export const DAYS_KEPT_MS = 400 * DAY_MS;
/** Payers' sums of today and of yesterday are kept, because the clocks of isolates differ. */
export const PAYER_DAYS_KEPT = 2;
/** The sweep looks back this number of days, in case it has not run for a while. */
export const PAYER_DAYS_LOOKED_AT = 30;
