// The table of contents of everything that is not the core.
import { check } from "../../extensions/check/extension.ts";
import { copies } from "../../extensions/copies/extension.ts";
import { doors } from "../../extensions/doors/extension.ts";
import { dryRuns } from "../../extensions/dry-runs/extension.ts";
import { finalRound } from "../../extensions/final-round/extension.ts";
import { inbox } from "../../extensions/inbox/extension.ts";
import { judgeCheck } from "../../extensions/judge-check/extension.ts";
import { log } from "../../extensions/log/extension.ts";
import { mcp } from "../../extensions/mcp/extension.ts";
import { operating } from "../../extensions/operating/extension.ts";
import { pages } from "../../extensions/pages/extension.ts";
import { profiles } from "../../extensions/profiles/extension.ts";
import { questions } from "../../extensions/questions/extension.ts";
import { record } from "../../extensions/record/extension.ts";
import { reviews } from "../../extensions/reviews/extension.ts";
import { rubricHelp } from "../../extensions/rubric-help/extension.ts";
import { settlement } from "../../extensions/settlement/extension.ts";
import { similarity } from "../../extensions/similarity/extension.ts";

export const EXTENSIONS = [
	questions,
	reviews,
	finalRound,
	dryRuns,
	judgeCheck,
	check,
	rubricHelp,
	similarity,
	record,
	log,
	settlement,
	inbox,
	profiles,
	pages,
	mcp,
	doors,
	operating,
	copies,
];

/** They are spread one by one, so that the compiler knows the types of each. */
export const extensionOperations = {
	...questions.endpoints,
	...reviews.endpoints,
	...finalRound.endpoints,
	...dryRuns.endpoints,
	...judgeCheck.endpoints,
	...check.endpoints,
	...rubricHelp.endpoints,
	...similarity.endpoints,
	...record.endpoints,
	...log.endpoints,
	...settlement.endpoints,
	...inbox.endpoints,
	...profiles.endpoints,
	...pages.endpoints,
	...mcp.endpoints,
	...doors.endpoints,
	...operating.endpoints,
	...copies.endpoints,
};
