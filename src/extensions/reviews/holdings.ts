import { eq, inArray, isNotNull, sql } from "drizzle-orm";
import { appeals, reviews } from "../../db/task/schema/reviews.ts";
import { submissions } from "../../db/task/schema/submissions.ts";
import { MAX_WAITING_REVIEWS } from "../../domain/waiting-kinds.ts";
import type { Holding } from "../../ports/joints.ts";
import { countOpenReviews } from "./list-reviews.ts";

/** An erasure keeps decisions and scores, but deletes the reasons that the agent gave. */
export const reviewHolding: Holding = {
	erase({ db }, { agentId, isOwner }) {
		const own = db.select({ id: submissions.id }).from(submissions).where(eq(submissions.agentId, agentId));
		db.update(appeals).set({ reason: "" }).where(inArray(appeals.submissionId, own)).run();
		if (!isOwner) return;
		db.update(reviews).set({ reason: "", change: sql`json_set(change, '$.reason', '')` }).run();
		db.update(appeals).set({ decisionReason: "" }).where(isNotNull(appeals.decision)).run();
	},
	export({ agentId, isOwner }) {
		const isOfOwn = sql`submission_id in (select id from submissions where agent_id = ${agentId})`;
		return { appeals: isOfOwn, reviews: isOwner ? sql`true` : isOfOwn };
	},
	waiting(task, { isOwner }) {
		const count = isOwner ? countOpenReviews(task, MAX_WAITING_REVIEWS) : 0;
		return count === 0 ? [] : [{ kind: "decide_reviews", count }];
	},
};
