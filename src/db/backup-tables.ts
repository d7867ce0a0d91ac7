import { getTableName, is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { ARCHIVED_TABLES } from "./archived.ts";
import * as administration from "./schema/administration.ts";
import * as agents from "./schema/agents.ts";
import * as archives from "./schema/archives.ts";
import * as attachments from "./schema/attachments.ts";
import * as changes from "./schema/changes.ts";
import * as deals from "./schema/deals.ts";
import * as events from "./schema/events.ts";
import * as leaderboard from "./schema/leaderboard.ts";
import * as openRegistration from "./schema/open-registration.ts";
import * as operators from "./schema/operators.ts";
import * as rounds from "./schema/rounds.ts";
import * as search from "./schema/search.ts";
import * as similarity from "./schema/similarity.ts";
import * as storedObjects from "./schema/stored-objects.ts";
import * as streams from "./schema/streams.ts";
import * as submissions from "./schema/submissions.ts";
import * as tasks from "./schema/tasks.ts";
import * as trials from "./schema/trials.ts";
import * as usage from "./schema/usage.ts";
import * as users from "./schema/users.ts";
import * as webhooks from "./schema/webhooks.ts";

/** Tables that only triggers write. Not in a backup: src/db/counters.sql fills them again. */
export const DERIVED_TABLES: readonly string[] = [
	leaderboard.leaderboardCounts,
	leaderboard.taskWinners,
	submissions.receivedSubmissions,
	agents.agentCounts,
].map(getTableName);

/** What matters to requests and sweeps under way only. Not in a backup, and a database that has rows only here is empty. */
export const PASSING_TABLES: readonly string[] = [
	events.commitGuards,
	events.commitMarks,
	storedObjects.collectorCursors,
	usage.judgeReservations,
	openRegistration.networkUsage,
	openRegistration.usedChallenges,
	streams.watchedTopics,
].map(getTableName);

export interface BackupTable {
	readonly name: string;
	/** The columns of the primary key, in its order. */
	readonly key: readonly string[];
	/** The tables that its foreign keys name. */
	readonly refersTo: readonly string[];
}

let ordered: readonly BackupTable[] | null = null;

/**
 * The tables of a backup, each after all tables that refer to it. Tables are copied one after the other, so a row that is copied
 * early must find what it refers to among the rows that are copied later. A restore goes the other way.
 */
export function listBackupTables(): readonly BackupTable[] {
	ordered ??= orderTables(describeTables());
	return ordered;
}

function describeTables(): BackupTable[] {
	const parts = [
		administration,
		agents,
		archives,
		attachments,
		changes,
		deals,
		events,
		leaderboard,
		openRegistration,
		operators,
		rounds,
		search,
	];
	const others = [similarity, storedObjects, streams, submissions, tasks, trials, usage, users, webhooks];
	const tables = [...parts, ...others].flatMap((part) => Object.values(part).filter((value) => is(value, SQLiteTable)));
	return tables
		.map(describeTable)
		.filter(({ name }) => !DERIVED_TABLES.includes(name) && !PASSING_TABLES.includes(name))
		.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function describeTable(table: SQLiteTable): BackupTable {
	const { name, columns, primaryKeys, foreignKeys } = getTableConfig(table);
	const [composite] = primaryKeys;
	const key = composite?.columns ?? columns.filter(({ primary }) => primary);
	const parents = foreignKeys.map((foreignKey) => getTableName(foreignKey.reference().foreignTable));
	// Rows that move into the archive during the backup are then in one of the two copies, or in both.
	const archive = Object.hasOwn(ARCHIVED_TABLES, name) ? [getTableName(archives.taskArchives)] : [];
	const refersTo = [...new Set([...parents, ...archive])].filter((parent) => parent !== name);
	return { name, key: key.map((column) => column.name), refersTo };
}

/** @throws Error when tables refer to each other in a circle. */
function orderTables(tables: readonly BackupTable[]): BackupTable[] {
	const done: BackupTable[] = [];
	let waiting = [...tables];
	while (waiting.length > 0) {
		const free = waiting.filter(({ name }) => !waiting.some(({ refersTo }) => refersTo.includes(name)));
		if (free.length === 0) throw new Error(`These tables refer to each other: ${waiting.map(({ name }) => name).join(", ")}.`);
		done.push(...free);
		waiting = waiting.filter((table) => !free.includes(table));
	}
	return done;
}
