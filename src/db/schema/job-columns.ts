import { integer, text } from "drizzle-orm/sqlite-core";

/** The columns of a job of judging that its consumers write: its lease, its time limit and its waits. */
export const jobColumns = {
	/** What a mode keeps between two visits of the job, such as when a request was delivered. */
	progress: text("progress", { mode: "json" }).$type<unknown>(),
	leaseToken: text("lease_token"),
	leaseExpiresAt: integer("lease_expires_at"),
	/** No consumer takes the job before this time. Later than now while it backs off. */
	dueAt: integer("due_at").notNull(),
	/** At this time the job ends without a score, in any state. */
	giveUpAt: integer("give_up_at").notNull(),
	lastError: text("last_error"),
	/** The ceiling that the job waits for, in words for the agent and the task's owner. The wait does not count towards the time limit. */
	waitingFor: text("waiting_for"),
	/** How long the job has waited for ceilings so far, in milliseconds. */
	ceilingWaitMs: integer("ceiling_wait_ms").notNull().default(0),
};
