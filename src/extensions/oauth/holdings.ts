import type { Holding } from "../../ports/joints.ts";
import { confirmGrants, endGrantsMadeWith, endGrantsOfAgent, endGrantsOfAgents } from "./statements.ts";

/** A grant ends when the key behind the session in which it was made ends, and when its agent is claimed, suspended or erased. */
export const grantHolding: Holding = {
	eraseRows: endGrantsOfAgent,
	exportTables: ["grants"],
	endWithKeys: endGrantsMadeWith,
	confirmWith: confirmGrants,
	endWithClaim: endGrantsOfAgent,
	endWithSuspension: endGrantsOfAgents,
};
