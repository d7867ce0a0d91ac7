// The public leaderboard: what it shows, and its cursors.
import { invalidCursor } from "../../http/pagination.ts";
import { sealToken, unsealToken } from "../../platform/sealed.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Board } from "../leaderboard/views.ts";

/** A board as anyone may see it: without ids of agents and submissions. */
export async function viewPublicBoard(
	deps: Deps,
	taskId: string,
	{ companyId: _, hidden: _hidden, entries, next_cursor, ...board }: Board,
) {
	return {
		entries: entries.map(({ agentId: _agent, submissionId: _submission, ...entry }) => entry),
		...board,
		next_cursor: next_cursor === null ? null : await sealToken(deps.config.keys, cursorScope(taskId), next_cursor),
	};
}

/** The cursor inside a public one, which is sealed because the leaderboard's own cursor contains a submission's id and time. */
export async function openCursor(deps: Deps, taskId: string, cursor: string | undefined): Promise<string | undefined> {
	if (cursor === undefined) return undefined;
	const opened = await unsealToken(deps.config.keys, cursorScope(taskId), cursor);
	if (opened === null) throw invalidCursor();
	return opened;
}

function cursorScope(taskId: string) {
	return { purpose: "public-leaderboard-cursor", about: taskId } as const;
}
