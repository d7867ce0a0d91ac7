// Erases what an agent leaves outside of tasks. All functions are safe to repeat.
import { eraseDeliveries } from "../../../core/events/webhooks/administration.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import { erasedName } from "../../../domain/erased-names.ts";
import type { Statement } from "../../../ports/database.ts";
import type { Deps } from "../../../ports/deps.ts";
import { eraseDealings, eraseIdentity } from "./statements.ts";
import { listWorkspaceObjects } from "./store.ts";

const DELETE_BATCH = 1_000;

/** Erases the agent's workspace with its files, and the deliveries of its webhooks. Returns how many files were deleted. */
export async function eraseStored(deps: Deps, agentId: string): Promise<number> {
	const objects = await listWorkspaceObjects(deps, agentId);
	for (const chunk of chunksOf(objects, DELETE_BATCH)) await deps.bucket.delete(chunk);
	await deps.hubs.callWorkspace(agentId, (workspace) => workspace.erase());
	await eraseDeliveries(deps, agentId);
	return objects.length;
}

/** Returns the statements that erase the agent's rows in the directory, for one commit. */
export function eraseRowsOf(deps: Deps, agentId: string): Statement[] {
	const erasure = { agentId, pseudonym: erasedName(agentId), now: deps.clock.now() };
	return [...eraseDealings(deps, erasure), ...eraseIdentity(deps, erasure)];
}
