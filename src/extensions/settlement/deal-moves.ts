// The public log of a task shows the steps of its deals.

import type { Deps } from "../../ports/deps.ts";
import { type MovePlace, selectDealMoves } from "./store.ts";

export type { MovePlace };

/**
 * Lists the statuses that the deals of a task have had, newest first. Includes declined deals.
 *
 * @param page Only steps before the position `before`. Null for the newest.
 */
export function listDealMoves(deps: Deps, taskId: string, page: { readonly before: MovePlace | null; readonly limit: number }) {
	return selectDealMoves(deps, taskId, page);
}
