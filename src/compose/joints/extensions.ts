// The list of everything that is not part of the core.
import { check } from "../../extensions/check/extension.ts";
import { copies } from "../../extensions/copies/extension.ts";
import { doors } from "../../extensions/doors/extension.ts";
import { dryRuns } from "../../extensions/dry-runs/extension.ts";
import { finalRound } from "../../extensions/final-round/extension.ts";
import { inbox } from "../../extensions/inbox/extension.ts";
import { judgeCheck } from "../../extensions/judge-check/extension.ts";
import { log } from "../../extensions/log/extension.ts";
import { mcp } from "../../extensions/mcp/extension.ts";
import { oauth } from "../../extensions/oauth/extension.ts";
import { operating } from "../../extensions/operating/extension.ts";
import { pages } from "../../extensions/pages/extension.ts";
import { passkeys } from "../../extensions/passkeys/extension.ts";
import { profiles } from "../../extensions/profiles/extension.ts";
import { questions } from "../../extensions/questions/extension.ts";
import { record } from "../../extensions/record/extension.ts";
import { reviews } from "../../extensions/reviews/extension.ts";
import { rubricHelp } from "../../extensions/rubric-help/extension.ts";
import { settlement } from "../../extensions/settlement/extension.ts";
import { similarity } from "../../extensions/similarity/extension.ts";
import { testTasks } from "../../extensions/test-tasks/extension.ts";

export const EXTENSIONS = [
	questions,
	reviews,
	finalRound,
	dryRuns,
	judgeCheck,
	testTasks,
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
	passkeys,
	oauth,
	doors,
	operating,
	copies,
] as const;

type Joined<List extends readonly { readonly endpoints: object }[]> = List extends readonly [
	infer First extends { readonly endpoints: object },
	...infer Rest extends readonly { readonly endpoints: object }[],
]
	? First["endpoints"] & Joined<Rest>
	: unknown;

/** All endpoints of extensions, with their exact types. */
function joinEndpoints<List extends readonly { readonly endpoints: object }[]>(extensions: List): Joined<List>;
function joinEndpoints(extensions: readonly { readonly endpoints: object }[]): object {
	return Object.assign({}, ...extensions.map(({ endpoints }) => endpoints));
}

export const extensionOperations = joinEndpoints(EXTENSIONS);
