import { eq } from "drizzle-orm";
import { signatures } from "../../db/task/schema/similarity.ts";
import type { Holding } from "../../ports/joints.ts";

/** A signature reveals what a submission contains, so an erasure deletes it. */
export const similarityHolding: Holding = {
	erase({ db }, { agentId }) {
		db.delete(signatures).where(eq(signatures.agentId, agentId)).run();
	},
};
