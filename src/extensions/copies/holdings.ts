import { copies } from "../../db/task/schema/copies.ts";
import type { Holding } from "../../ports/joints.ts";

/** The bucket must lose what the object erases. So the next copy comes at once, and one that is under way begins anew. */
export const copyHolding: Holding = {
	erase: ({ db }) => void db.update(copies).set({ isUrgent: true, underWay: null, nextTryAt: 0 }).run(),
};
