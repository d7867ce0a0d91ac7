// Suspends and restores agents. The agent changes in one commit. Its tasks, which are objects, change one after the other.
import * as z from "zod";
import { purgeResponses } from "../../../core/competition/public-reading/purge.ts";
import { setVisibility } from "../../../core/competition/tasks/set-visibility.ts";
import { forgetKnownAgent } from "../../../core/identity/api-keys/service.ts";
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { noteEndOfAgent } from "../../../db/credential-ends.ts";
import { fleetOf, guardStanding, type Standing } from "../../../db/parties.ts";
import { callInChunks } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import { agentId, timestamp } from "../../../http/fields.ts";
import { toIsoOrNull } from "../../../platform/clock.ts";
import type { Statement } from "../../../ports/database.ts";
import type { AdminCtx, Deps } from "../../../ports/deps.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import { auditEntry, auditId } from "./audit-entry.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

export const agentActView = z
	.object({
		id: agentId,
		suspended_at: timestamp.nullable().describe("When the agent was suspended. Null unless the agent is suspended."),
		hidden_tasks: z.number().int().min(0).describe("Number of tasks that this request hid or showed again."),
		audit_id: auditId,
	})
	.meta({ id: "AgentSuspension", description: "Whether an agent is suspended." });

/**
 * Suspends an agent and the agents that its operator tokens created, and hides their tasks; or undoes that.
 * Changes at most 500 tasks; `sweepStandings` changes the others.
 *
 * @throws AppError `NOT_FOUND`; `CONFLICT` for restoring an agent whose data was erased.
 */
export async function setSuspension(ctx: AdminCtx, agentId: string, { isSuspended, reason }: { isSuspended: boolean; reason: string }) {
	const act = await decideAndCommit(ctx.db, () => changeStanding(ctx, agentId, { isSuspended, reason }));
	forgetKnownAgent(agentId);
	const { changed } = await alignTasks(ctx, agentId);
	return { id: agentId, suspended_at: toIsoOrNull(act.suspendedAt), hidden_tasks: changed, audit_id: act.auditId };
}

async function changeStanding(ctx: AdminCtx, agentId: string, { isSuspended, reason }: { isSuspended: boolean; reason: string }) {
	const standing = await getStanding(ctx, agentId);
	if (!isSuspended && standing.erasedAt !== null) {
		throw new AppError("CONFLICT", { message: "The data of this agent was erased. It stays suspended." });
	}
	const now = ctx.clock.now();
	const suspendedAt = isSuspended ? (standing.suspendedAt ?? now) : null;
	const audit = auditEntry(ctx, {
		action: isSuspended ? "agent.suspend" : "agent.restore",
		target: agentId,
		reason,
		before: { suspended_at: toIsoOrNull(standing.suspendedAt) },
		after: { suspended_at: toIsoOrNull(suspendedAt) },
	});
	await commit(ctx.db, [
		guardStanding(ctx.db, standing),
		statements.setSuspendedAt(ctx, agentId, suspendedAt),
		...(isSuspended ? endCredentials(ctx, agentId) : []),
		statements.insertStandingChange(ctx, { id: audit.id, agentId, at: now }),
		audit.statement,
	]);
	return { suspendedAt, auditId: audit.id };
}

function endCredentials(ctx: AdminCtx, agentId: string): Statement[] {
	const fleet = fleetOf(agentId);
	return [...ctx.holdings.flatMap((holding) => holding.endWithSuspension?.(ctx, fleet) ?? []), noteEndOfAgent(ctx, agentId)];
}

/** Reads what operators have decided about an agent. @throws AppError `NOT_FOUND`. */
export async function getStanding(deps: Deps, agentId: string): Promise<Standing> {
	const standing = await store.findStanding(deps, agentId);
	if (standing === null) throw new AppError("NOT_FOUND", { message: "No agent has this id." });
	return standing;
}

/** Makes `sweepStandings` check an agent's tasks. Put the statement in the commit that changes the agent. */
export function noteStandingChange(deps: Deps, row: { readonly id: string; readonly agentId: string; readonly at: number }): Statement {
	return statements.insertStandingChange(deps, row);
}

const TASKS_PER_PASS = 500;
const CALLS_AT_ONCE = 25;

/**
 * Hides or shows the tasks of an agent and of its fleet, depending on whether their owners are suspended. Tasks that were taken down stay
 * hidden.
 */
export async function alignTasks(deps: Deps, agentId: string): Promise<{ changed: number; isDone: boolean }> {
	const tasks = await store.selectMisaligned(deps, agentId, TASKS_PER_PASS);
	const changes = await callInChunks(tasks, CALLS_AT_ONCE, ({ id, isOwnerSuspended }) => align(deps, id, isOwnerSuspended));
	return { changed: changes.filter((isChanged) => isChanged).length, isDone: tasks.length < TASKS_PER_PASS };
}

async function align(deps: Deps, taskId: string, isOwnerSuspended: boolean): Promise<boolean> {
	const isChanged = (await unlessDeleted(setVisibility(deps, taskId, { isOwnerSuspended }))) === true;
	if (isChanged) deps.background(purgeResponses(deps, taskId));
	return isChanged;
}
