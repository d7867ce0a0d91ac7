import { commit } from "../../../db/commit.ts";
import { FIRST_PART } from "../../../platform/ids.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import { grantCompanyRole, insertAgent } from "./statements.ts";

/** Builds an agent, and the statement that stores it. To give it keys, call `newApiKey`. */
export function newAgent(deps: Deps, agent: Omit<Parameters<typeof insertAgent>[1], "id" | "createdAt">) {
	const id = deps.ids.nextIn(FIRST_PART);
	return { ...agent, id, statement: insertAgent(deps, { ...agent, id, createdAt: deps.clock.now() }) };
}

/**
 * Gives an agent the role `company` when it posts its first task. The task is already stored, so an error here must not fail the request:
 * the agent's next task sets the role instead.
 */
export async function becomePoster(
	deps: Deps,
	{ agentId, role }: { readonly agentId: string; readonly role: string | null },
): Promise<void> {
	if (role === "company") return;
	try {
		await commit(deps.db, [grantCompanyRole(deps, agentId)]);
	} catch (error) {
		deps.log.error("role_not_granted", describeError(error));
	}
}
