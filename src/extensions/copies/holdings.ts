import { copies } from "../../db/task/schema/copies.ts";
import type { Holding } from "../../ports/joints.ts";

/** An erasure must also reach the bucket, so a new copy is made at once, and a copy in progress starts again. */
export const copyHolding: Holding = {
	erase: ({ db }) => void db.update(copies).set({ isUrgent: true, underWay: null, nextTryAt: 0 }).run(),
};
