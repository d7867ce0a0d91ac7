import { getTableName } from "drizzle-orm";
import { agentCounts } from "./agents.ts";
import { dryRunCards, submissionCards } from "./cards.ts";
import { outbox } from "./events.ts";
import { leaderboardEntries, taskWinners } from "./leaderboard.ts";
import { networkUsage, usedChallenges } from "./open-registration.ts";
import { operatorChildUsage, operatorUnits, operatorUsage } from "./operators.ts";
import { receiptKeys, submissions } from "./submissions.ts";
import { criteria, taskEntries, taskWarnings } from "./tasks.ts";
import { judgeUsageDays, taskJudgeUsage } from "./usage.ts";
import { webhookScopes } from "./webhooks.ts";

/**
 * Tables that SQLite stores in the order of their primary key, so an insert writes one row instead of a row and an index entry.
 * drizzle cannot say so: `npm run migration` adds `WITHOUT ROWID`.
 */
export const TABLES_WITHOUT_ROWID: readonly string[] = [
	agentCounts,
	criteria,
	dryRunCards,
	judgeUsageDays,
	leaderboardEntries,
	networkUsage,
	operatorChildUsage,
	operatorUnits,
	operatorUsage,
	outbox,
	receiptKeys,
	submissionCards,
	submissions,
	taskEntries,
	taskJudgeUsage,
	taskWarnings,
	usedChallenges,
	taskWinners,
	webhookScopes,
].map(getTableName);
