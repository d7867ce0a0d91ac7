import { copies } from "../../db/task/schema/copies.ts";
import type { Holding } from "../../ports/joints.ts";

/** What is erased in the object must leave the bucket too. So the next copy comes at once, and one that is under way begins anew. */
export const copyHolding: Holding = {
	erase: ({ db }) => void db.update(copies).set({ isUrgent: true, underWay: null, nextTryAt: 0 }).run(),
};
