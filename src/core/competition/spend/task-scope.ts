// The task's own scope of the ledger. It is in the Task object, so nothing can happen between the check and the reservation.
import { and, count, eq, isNotNull, ne, or, sql, sum } from "drizzle-orm";
import { isOneOf, prepareOnce } from "../../../db/task/prepared.ts";
import { type JobRow, jobs } from "../../../db/task/schema/judging.ts";
import { evaluations, submissions } from "../../../db/task/schema/submissions.ts";
import { entries } from "../../../db/task/schema/task.ts";
import { findTaskUsage } from "../../../db/task/task-usage.ts";
import type { Fund } from "../../../domain/spend.ts";
import type { KeptRoom, TaskStore } from "../../../ports/task.ts";
import { withChecks } from "../../judging/checks/criterion-checks.ts";
import { readCriteria, warnOwner, withdrawWarning } from "../tasks/store.ts";
import { findTaskRoom, NO_ROOM_WARNING, shareOfSubmitter, type TaskLevel, type TaskRoom } from "./rules.ts";

interface WantedRoom {
	readonly amount: number;
	readonly fund: Fund;
	readonly isFirst: boolean;
	/** The agent whose submission is judged. Null for other jobs, such as dry runs. */
	readonly agentId: string | null;
	/** The job that needs the room. Its own reservation does not count. Null if a request needs the room. */
	readonly jobId: string | null;
	/** The task's spending ceiling in millionths of a US dollar. Null if there is none. */
	readonly ceiling: number | null;
}

/**
 * Decides whether the task's ceiling has room for a job. For the fund `agents`, it also keeps the owner's warning up to date: it warns
 * once the first evaluation of another agent has no room, and withdraws the warning once there is room.
 */
export function findRoom(task: TaskStore, { agentId, jobId, ceiling, ...job }: WantedRoom): TaskRoom {
	if (ceiling === null) return "room";
	const wanted = { ...job, share: readShare(task) };
	const level = readLevel(task, { agentId, jobId });
	const limit = { ceiling, keptShare: readKept(task).share };
	const room = findTaskRoom(wanted, level, limit);
	if (wanted.fund === "agents") {
		const roomTaken = room === "room" ? wanted.amount : 0;
		const next = findTaskRoom({ ...wanted, isFirst: true }, { ...level, total: level.total + roomTaken, payer: NOTHING }, limit);
		if (next === "room") withdrawWarning(task, "NO_ROOM");
		else warnOwner(task, { code: "NO_ROOM", message: NO_ROOM_WARNING });
	}
	return room;
}

const NOTHING = { used: 0, evaluations: 0 };

function readLevel(task: TaskStore, { agentId, jobId }: Pick<WantedRoom, "agentId" | "jobId">): TaskLevel {
	const settled = findTaskUsage(task.db);
	const reserved = selectReserved(task, jobId);
	const sumOf = (rows: readonly JobRow[]) => rows.reduce((total, job) => total + (job.reserved ?? 0), 0);
	const further = reserved.filter(({ fund, isFirst }) => fund === "agents" && !isFirst);
	const poster = reserved.filter(({ fund }) => fund === "poster");
	const posterRuns = (settled?.posterRuns ?? 0) - (isCounted(task, jobId) ? 1 : 0) + poster.filter((job) => !job.isPaid).length;
	return {
		total: (settled?.costMicroUsd ?? 0) + sumOf(reserved) + readKept(task).reserved,
		further: (settled?.furtherMicroUsd ?? 0) + sumOf(further),
		poster: { used: (settled?.posterMicroUsd ?? 0) + sumOf(poster), evaluations: posterRuns },
		payer: agentId === null ? NOTHING : readPayerLevel(task, { agentId, reserved }),
	};
}

/** Returns true if the job already counts among the poster's runs, because it had a paid attempt. A job must not count against itself. */
function isCounted({ db }: TaskStore, jobId: string | null): boolean {
	if (jobId === null) return false;
	return paidRunQuery(db).get({ jobId }) !== undefined;
}

const paidRunQuery = prepareOnce((db) =>
	db
		.select({ id: jobs.id })
		.from(jobs)
		.where(and(eq(jobs.state, "claimed"), eq(jobs.id, sql.placeholder("jobId")), eq(jobs.fund, "poster"), eq(jobs.isPaid, true)))
		.prepare(),
);

/** Returns what judging the task has cost so far, plus reservations, in millionths of a US dollar. */
export function readTotal(task: TaskStore): number {
	return readLevel(task, { agentId: null, jobId: null }).total;
}

/** Returns how much of the task's ceiling is kept for later jobs. */
export function readKept(task: TaskStore): KeptRoom {
	const keptRooms = task.parts.jobs.flatMap((rules) => rules.keeps?.(task) ?? []);
	const sumOf = (name: keyof KeptRoom) => keptRooms.reduce((total, each) => total + each[name], 0);
	return { share: sumOf("share"), works: sumOf("works"), reserved: sumOf("reserved") };
}

function selectReserved({ db }: TaskStore, exceptJobId: string | null): JobRow[] {
	return reservedQuery(db).all({ exceptJobId });
}

const reservedQuery = prepareOnce((db) =>
	db
		.select()
		.from(jobs)
		.where(and(eq(jobs.state, "claimed"), isNotNull(jobs.reserved), sql`${jobs.id} is not ${sql.placeholder("exceptJobId")}`))
		.prepare(),
);

/** Returns what the agent's payer has paid and reserved on this task, for all agents that it pays for. */
function readPayerLevel({ db, ...task }: TaskStore, { agentId, reserved }: { agentId: string; reserved: readonly JobRow[] }) {
	const agents = payersAgentsQuery(db).all({ agentId });
	const ids = JSON.stringify(agents.map((agent) => agent.agentId));
	const paid = paidQuery(db).get({ ids });
	const subjects = reserved.filter(({ fund }) => fund === "agents").map(({ subjectId }) => subjectId);
	const theirs = new Set(
		theirsQuery(db)
			.all({ ids, subjects: JSON.stringify(subjects) })
			.map(({ id }) => id),
	);
	const open = reserved.filter(({ subjectId }) => theirs.has(subjectId));
	const share = readShare({ db, ...task });
	return {
		used:
			(paid?.amount ?? 0) +
			agents.reduce((total, { failed }) => total + failed, 0) +
			open.reduce((total, job) => total + (job.reserved ?? 0) * share, 0),
		evaluations: (paid?.evaluations ?? 0) + open.length,
	};
}

/** The agent, and all others with the same payer. */
const payersAgentsQuery = prepareOnce((db) => {
	const agentId = sql.placeholder("agentId");
	const payer = db.select({ payer: entries.payer }).from(entries).where(eq(entries.agentId, agentId));
	return db
		.select({ agentId: entries.agentId, failed: entries.failedMicroUsd })
		.from(entries)
		.where(or(eq(entries.agentId, agentId), eq(entries.payer, payer)))
		.prepare();
});

const isTheirs = isOneOf(submissions.agentId, "ids");
const paidQuery = prepareOnce((db) =>
	db
		.select({ amount: sum(evaluations.paidMicroUsd).mapWith(Number), evaluations: count(evaluations.paidMicroUsd) })
		.from(submissions)
		.innerJoin(evaluations, eq(evaluations.submissionId, submissions.id))
		.where(isTheirs)
		.prepare(),
);
const theirsQuery = prepareOnce((db) =>
	db
		.select({ id: submissions.id })
		.from(submissions)
		.where(and(isTheirs, isOneOf(submissions.id, "subjects")))
		.prepare(),
);

/** Returns the share of an evaluation that its submitter pays, from 0 to 1. */
export function readShare(task: TaskStore): number {
	const judged = withChecks(readCriteria(task).filter(({ held }) => !held));
	return shareOfSubmitter(judged.reduce((checks, criterion) => checks + criterion.checks.length, 0));
}

/** Returns true if the agent has no finished and no other running evaluation on the task. */
export function isFirstEvaluation({ db }: TaskStore, { agentId, jobId }: { readonly agentId: string; readonly jobId: string }): boolean {
	return judgedQuery(db).get({ agentId }) === undefined && otherFirstQuery(db).get({ agentId, jobId }) === undefined;
}

const isAgents = eq(submissions.agentId, sql.placeholder("agentId"));
const judgedQuery = prepareOnce((db) =>
	db
		.select({ id: evaluations.id })
		.from(submissions)
		.innerJoin(evaluations, eq(evaluations.submissionId, submissions.id))
		.where(isAgents)
		.limit(1)
		.prepare(),
);
const otherFirstQuery = prepareOnce((db) =>
	db
		.select({ id: jobs.id })
		.from(jobs)
		.innerJoin(submissions, eq(submissions.id, jobs.subjectId))
		.where(and(eq(jobs.state, "claimed"), eq(jobs.isFirst, true), ne(jobs.id, sql.placeholder("jobId")), isAgents))
		.limit(1)
		.prepare(),
);
