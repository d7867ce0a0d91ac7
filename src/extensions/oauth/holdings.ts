import type { Holding } from "../../ports/joints.ts";
import { confirmGrants, endGrantsMadeWith, endGrantsOfAgent, endGrantsOfAgents } from "./statements.ts";

/** Grants end with the key that made them, with a claim and with a suspension, and are erased with their agent. */
export const grantHolding: Holding = {
	eraseRows: endGrantsOfAgent,
	exportTables: ["grants"],
	endWithKeys: endGrantsMadeWith,
	confirmWith: confirmGrants,
	endWithClaim: endGrantsOfAgent,
	endWithSuspension: endGrantsOfAgents,
};
