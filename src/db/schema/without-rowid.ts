import { getTableName } from "drizzle-orm";
import { leaderboardRevisions, stateChanges } from "./changes.ts";
import { dealHistory } from "./deals.ts";
import { leaderboardCounts, leaderboardEntries } from "./leaderboard.ts";
import { networkUsage, suspendedNames, usedChallenges } from "./open-registration.ts";
import { comparisonGroups, finalCandidates } from "./rounds.ts";
import { artifactSignatures } from "./similarity.ts";
import { idempotencyKeys, receiptKeys } from "./submissions.ts";
import { criteria, taskEntries, taskWarnings } from "./tasks.ts";
import { judgeUsageDays } from "./usage.ts";

/**
 * Tables that SQLite stores in the order of their primary key, so an insert writes one row instead of a row and an index entry.
 * drizzle cannot say so: `npm run migration` adds `WITHOUT ROWID`.
 */
export const TABLES_WITHOUT_ROWID: readonly string[] = [
	artifactSignatures,
	comparisonGroups,
	criteria,
	dealHistory,
	finalCandidates,
	idempotencyKeys,
	judgeUsageDays,
	leaderboardCounts,
	leaderboardEntries,
	leaderboardRevisions,
	networkUsage,
	receiptKeys,
	stateChanges,
	suspendedNames,
	taskEntries,
	taskWarnings,
	usedChallenges,
].map(getTableName);
