import { deals } from "../../db/schema/deals.ts";
import type { Statement } from "../../ports/database.ts";
import type { Deps } from "../../ports/deps.ts";
import type { DealRow } from "./store.ts";

/** Of several deals on one task, the unique index over the task admits one. */
export function insertDeal(deps: Deps, row: DealRow): Statement {
	return deps.db.query.insert(deals).values(row);
}
