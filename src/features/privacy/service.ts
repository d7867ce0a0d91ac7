import { commit, decideAndCommit } from "../../db/commit.ts";
import { guardStanding } from "../../db/parties.ts";
import { chunksOf } from "../../domain/chunks.ts";
import { AppError } from "../../domain/errors.ts";
import type { Topic } from "../../domain/topics.ts";
import { toIso, toIsoOrNull } from "../../platform/clock.ts";
import type { AdminCtx, Deps } from "../../ports/deps.ts";
import type { WorkspacePort } from "../../ports/workspace.ts";
import { auditEntry } from "../admin/audit.ts";
import { hideTasksOf } from "../admin/service.ts";
import { forgetKnownAgent, stopKeys } from "../api-keys/service.ts";
import { eraseTopics } from "../streams/service.ts";
import { eraseDeliveries, readDeliveriesOf } from "../webhooks/administration.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const MAX_ROWS = 10_000;
const PAGE = 500;

/** Everything that is held about an agent. Contract: additions, "Operators". */
export async function exportAgent(ctx: AdminCtx, agentId: string) {
	await getErasable(ctx, agentId);
	const deliveries = await readDeliveriesOf(ctx, agentId, MAX_ROWS + 1);
	const rows: Readonly<Record<string, readonly rules.Row[]>> = {
		...(await store.selectRows(ctx, agentId, MAX_ROWS + 1)),
		webhook_deliveries: deliveries.map(rules.asRow),
	};
	const tables = Object.entries(rows).map(([table, found]) => [table, found.slice(0, MAX_ROWS).map(withoutSecrets)] as const);
	return {
		agent_id: agentId,
		exported_at: toIso(ctx.clock.now()),
		tables: Object.fromEntries(tables),
		truncated: Object.keys(rows).filter((table) => (rows[table]?.length ?? 0) > MAX_ROWS),
		workspace: await ctx.hubs.callWorkspace(agentId, readWorkspace),
		objects: [...(await store.selectObjectKeys(ctx, agentId)), ...(await listWorkspaceObjects(ctx, agentId))],
	};
}

function withoutSecrets(row: rules.Row): Record<string, unknown> {
	return Object.fromEntries(Object.entries(row).filter(([column]) => rules.isExported(column)));
}

async function readWorkspace(workspace: WorkspacePort) {
	const facts = await readPages(
		(after) => workspace.listEntries({ prefix: "", after, limit: PAGE }),
		({ key }) => key,
	);
	const entries = await Promise.all(facts.map(async ({ key }) => ({ key, value: parseValue((await workspace.getEntry(key))?.value) })));
	const files = await readPages(
		(after) => workspace.listFiles({ prefix: "", after, limit: PAGE }),
		({ path }) => path,
	);
	return {
		entries,
		files: files.map(({ path, sizeBytes, contentType, blobKey }) => ({
			path,
			size_bytes: sizeBytes,
			content_type: contentType,
			object: blobKey,
		})),
	};
}

/** An entry's value is JSON. Null for one that was deleted in the meantime. */
function parseValue(json: string | undefined): unknown {
	return json === undefined ? null : JSON.parse(json);
}

async function readPages<Item>(read: (after: string | null) => Promise<Item[]>, keyOf: (item: Item) => string): Promise<Item[]> {
	const all: Item[] = [];
	for (;;) {
		const last = all.at(-1);
		const page = await read(last === undefined ? null : keyOf(last));
		all.push(...page);
		if (page.length < PAGE) return all;
	}
}

/** Objects of the agent's workspace that no file refers to any more included. */
async function listWorkspaceObjects(deps: Deps, agentId: string): Promise<string[]> {
	const keys: string[] = [];
	let cursor: string | undefined;
	do {
		const page = await deps.bucket.list({ prefix: `workspace/${agentId}/`, ...(cursor === undefined ? {} : { cursor }) });
		keys.push(...page.objects.map(({ key }) => key));
		cursor = page.truncated ? page.cursor : undefined;
	} while (cursor !== undefined);
	return keys;
}

/**
 * Erases what identifies an agent, and suspends it for good. The rows change in one commit. Objects and deliveries are deleted before it,
 * because afterwards no row says whose they are: a call that dies in between is repeated.
 */
export async function eraseAgent(ctx: AdminCtx, agentId: string, reason: string) {
	await getErasable(ctx, agentId);
	const credentials = await store.selectCredentialIds(ctx, agentId);
	const objects = [...(await store.selectObjectKeys(ctx, agentId)), ...(await listWorkspaceObjects(ctx, agentId))];
	await deleteObjects(ctx, objects);
	await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.erase());
	await eraseDeliveries(ctx, agentId);
	const pseudonym = rules.pseudonymOf(agentId);
	const { auditId, erasedAt } = await decideAndCommit(ctx.db, async () => {
		const agent = await getErasable(ctx, agentId);
		const now = ctx.clock.now();
		const erasedAt = agent.erasedAt ?? now;
		const audit = auditEntry(ctx, {
			action: "agent.erase",
			target: agentId,
			reason,
			before: { erased_at: toIsoOrNull(agent.erasedAt), suspended_at: toIsoOrNull(agent.suspendedAt) },
			after: { erased_at: toIso(erasedAt), suspended_at: toIso(agent.suspendedAt ?? now), objects: objects.length },
		});
		const erasure = { agentId, pseudonym, now };
		await commit(ctx.db, [
			guardStanding(ctx.db, agent),
			...statements.eraseDealings(ctx, erasure),
			...statements.eraseWork(ctx, erasure),
			...statements.eraseIdentity(ctx, erasure),
			hideTasksOf(ctx, agentId),
			audit.statement,
		]);
		return { auditId: audit.id, erasedAt };
	});
	stopKeys(ctx, credentials);
	await eraseBoards(ctx, agentId);
	forgetKnownAgent(agentId);
	return { id: agentId, pseudonym, erased_at: toIso(erasedAt), deleted_objects: objects.length, audit_id: auditId };
}

const TOPICS_AT_ONCE = 20;

/** Deletes names from the states that watched leaderboards keep. */
async function eraseBoards(ctx: AdminCtx, agentId: string): Promise<void> {
	const taskIds = await store.selectRankedTaskIds(ctx, agentId);
	const topics = taskIds.map((id): Topic => ({ kind: "leaderboard", id }));
	for (const chunk of chunksOf(topics, TOPICS_AT_ONCE)) await eraseTopics(ctx, chunk);
}

const DELETE_BATCH = 1_000;

async function deleteObjects(deps: Deps, keys: readonly string[]): Promise<void> {
	for (const chunk of chunksOf(keys, DELETE_BATCH)) await deps.bucket.delete(chunk);
}

async function getErasable(ctx: AdminCtx, agentId: string) {
	const agent = await store.findErasable(ctx, agentId);
	if (agent === null) throw new AppError("NOT_FOUND", { message: "There is no such agent." });
	return agent;
}
