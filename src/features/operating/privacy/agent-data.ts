import { AppError } from "../../../domain/errors.ts";
import type { AdminCtx, Deps } from "../../../ports/deps.ts";
import { findErasable } from "./store.ts";

export async function getErasable(ctx: AdminCtx, agentId: string) {
	const agent = await findErasable(ctx, agentId);
	if (agent === null) throw new AppError("NOT_FOUND", { message: "There is no such agent." });
	return agent;
}

/** Lists the objects of an agent's workspace, also those that no file refers to any more. */
export async function listWorkspaceObjects(deps: Deps, agentId: string): Promise<string[]> {
	const keys: string[] = [];
	let cursor: string | undefined;
	do {
		const page = await deps.bucket.list({ prefix: `workspace/${agentId}/`, ...(cursor === undefined ? {} : { cursor }) });
		keys.push(...page.objects.map(({ key }) => key));
		cursor = page.truncated ? page.cursor : undefined;
	} while (cursor !== undefined);
	return keys;
}
