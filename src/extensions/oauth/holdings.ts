import type { Holding } from "../../ports/joints.ts";
import { confirmGrants, endGrantsMadeWith, endGrantsOfAgent, endGrantsOfAgents } from "./statements.ts";

/** Grants end when the key that made them is revoked, and when their agent is claimed, suspended or erased. */
export const grantHolding: Holding = {
	eraseRows: endGrantsOfAgent,
	exportTables: ["grants"],
	endWithKeys: endGrantsMadeWith,
	confirmWith: confirmGrants,
	endWithClaim: endGrantsOfAgent,
	endWithSuspension: endGrantsOfAgents,
};
