import { getTableName } from "drizzle-orm";
import { anonymousDrafts, askerCards, locatedCards, memberCards, submissionCards, testTasks, usageCards } from "./cards.ts";
import { credentialEnds } from "./credential-ends.ts";
import { directoryOutbox } from "./events.ts";
import { judgeDays, reservations } from "./ledger.ts";
import { networkUsage, usedChallenges } from "./open-registration.ts";
import { operatorChildUsage, operatorUnits, operatorUsage } from "./operators.ts";
import { receiptKeys } from "./receipts.ts";
import { directoryReplies } from "./replies.ts";
import { webhookScopes } from "./webhooks.ts";

/**
 * Tables that SQLite stores in the order of their primary key, so that an insert writes one row instead of a row and an index entry.
 * `npm run migration` adds `WITHOUT ROWID`, because drizzle cannot.
 */
export const TABLES_WITHOUT_ROWID: readonly string[] = [
	anonymousDrafts,
	askerCards,
	credentialEnds,
	locatedCards,
	judgeDays,
	memberCards,
	networkUsage,
	operatorChildUsage,
	operatorUnits,
	operatorUsage,
	directoryOutbox,
	receiptKeys,
	directoryReplies,
	reservations,
	submissionCards,
	testTasks,
	usageCards,
	usedChallenges,
	webhookScopes,
].map(getTableName);
