// The data of an agent: all of it for those who ask for a copy, and none of it any more.
import { commit, decideAndCommit } from "../../../db/commit.ts";
import { guardStanding } from "../../../db/parties.ts";
import { chunksOf } from "../../../domain/chunks.ts";
import { AppError } from "../../../domain/errors.ts";
import { streamText } from "../../../http/stream-text.ts";
import { toIso, toIsoOrNull } from "../../../platform/clock.ts";
import type { AdminCtx, Deps } from "../../../ports/deps.ts";
import type { WorkspacePort } from "../../../ports/workspace.ts";
import { selectTasksOf } from "../../competition/directory/cards.ts";
import { eraseFromTasks, listWork, pseudonymOf } from "../../competition/operating/erase-agent.ts";
import { type ExportPlace, readRowsOf } from "../../competition/operating/export-agent.ts";
import { isShown } from "../../competition/operating/inspect-task.ts";
import { eraseDeliveries, readDeliveriesOf } from "../../events/webhooks/administration.ts";
import { forgetKnownAgent, stopKeys } from "../../identity/api-keys/service.ts";
import { auditEntry } from "../admin/audit.ts";
import { alignTasks, noteStandingChange } from "../admin/suspension.ts";
import * as rules from "./rules.ts";
import * as statements from "./statements.ts";
import * as store from "./store.ts";

const MAX_ROWS = 10_000;
const PAGE = 500;

/**
 * Everything that is held about an agent. Contract: additions, "Operators". The rows of tasks are streamed, because a task has up to
 * hundreds of reports. When one cannot be read, the body breaks off.
 *
 * @throws AppError `NOT_FOUND`.
 */
export async function exportAgent(ctx: AdminCtx, agentId: string): Promise<Response> {
	await getErasable(ctx, agentId);
	const facts = {
		agent_id: agentId,
		exported_at: toIso(ctx.clock.now()),
		...(await readTables(ctx, agentId)),
		workspace: await ctx.hubs.callWorkspace(agentId, readWorkspace),
	};
	const objects = await listWorkspaceObjects(ctx, agentId);
	const taskIds = (await selectTasksOf(ctx, agentId)).map(({ id }) => id);
	return new Response(streamText(writeExport(ctx, facts, { taskIds, objects })), {
		headers: { "Content-Type": "application/json; charset=utf-8" },
	});
}

interface Held {
	readonly taskIds: readonly string[];
	/** Keys of the objects in the agent's workspace. */
	readonly objects: readonly string[];
}

async function* writeExport(ctx: AdminCtx, facts: { agent_id: string }, { taskIds, objects }: Held): AsyncGenerator<string, void> {
	const { agent_id: agentId } = facts;
	yield `${JSON.stringify(facts).slice(0, -1)},"tasks":[`;
	const keys = [...objects];
	let separator = "";
	for (const taskId of taskIds) {
		for await (const { name, rows } of readTaskRows(ctx, taskId, agentId)) {
			yield `${separator}${JSON.stringify({ task_id: taskId, table: name, rows })}`;
			separator = ",";
		}
		const call = { input: { agentId }, now: ctx.clock.now() };
		keys.push(...((await unlessDeleted(ctx.hubs.callTask(taskId, listWork, call))) ?? []));
	}
	yield `],"objects":${JSON.stringify(keys)}}`;
}

async function readTables(ctx: AdminCtx, agentId: string) {
	const deliveries = await readDeliveriesOf(ctx, agentId, MAX_ROWS + 1);
	const rows: Readonly<Record<string, readonly rules.Row[]>> = {
		...(await store.selectRows(ctx, agentId, MAX_ROWS + 1)),
		webhook_deliveries: deliveries.map(rules.asRow),
	};
	const tables = Object.entries(rows).map(([table, found]) => [table, found.slice(0, MAX_ROWS).map(withoutSecrets)] as const);
	const truncated = Object.keys(rows).filter((table) => (rows[table]?.length ?? 0) > MAX_ROWS);
	return { tables: Object.fromEntries(tables), truncated };
}

type RowsPage = ReturnType<(typeof readRowsOf)["run"]>;

/** The rows about the agent in one task, a page of one table at a time. */
async function* readTaskRows({ hubs, clock }: AdminCtx, taskId: string, agentId: string): AsyncGenerator<RowsPage, void> {
	let place: ExportPlace | null = { table: 0, offset: 0 };
	while (place !== null) {
		const input: { agentId: string } & ExportPlace = { agentId, ...place };
		const page: RowsPage | null = await unlessDeleted(hubs.callTask(taskId, readRowsOf, { input, now: clock.now() }));
		if (page !== null && page.rows.length > 0) yield page;
		place = page?.next ?? null;
	}
}

/** What the task says; null for a draft that was deleted in the meantime. */
async function unlessDeleted<Output>(call: Promise<Output>): Promise<Output | null> {
	try {
		return await call;
	} catch (error) {
		if (error instanceof AppError && error.code === "NOT_FOUND") return null;
		throw error;
	}
}

function withoutSecrets(row: rules.Row): Record<string, unknown> {
	return Object.fromEntries(Object.entries(row).filter(([column]) => isShown(column)));
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
 * Erases what identifies an agent, and suspends it for good. Its rows in D1 change in one commit. Files, deliveries and what tasks hold
 * go before it: a call that dies in between is repeated. What the agent does at the same time, {@link sweepStandings} erases.
 */
export async function eraseAgent(ctx: AdminCtx, agentId: string, reason: string) {
	await getErasable(ctx, agentId);
	const credentials = await store.selectCredentialIds(ctx, agentId);
	const objects = await listWorkspaceObjects(ctx, agentId);
	await deleteObjects(ctx, objects);
	await ctx.hubs.callWorkspace(agentId, (workspace) => workspace.erase());
	await eraseDeliveries(ctx, agentId);
	const deleted = objects.length + (await eraseFromTasks(ctx, agentId));
	const { auditId, erasedAt } = await decideAndCommit(ctx.db, () => eraseRows(ctx, agentId, { reason, deleted }));
	stopKeys(ctx, credentials);
	forgetKnownAgent(agentId);
	await alignTasks(ctx, agentId);
	return { id: agentId, pseudonym: pseudonymOf(agentId), erased_at: toIso(erasedAt), deleted_objects: deleted, audit_id: auditId };
}

async function eraseRows(ctx: AdminCtx, agentId: string, { reason, deleted }: { reason: string; deleted: number }) {
	const agent = await getErasable(ctx, agentId);
	const now = ctx.clock.now();
	const erasedAt = agent.erasedAt ?? now;
	const audit = auditEntry(ctx, {
		action: "agent.erase",
		target: agentId,
		reason,
		before: { erased_at: toIsoOrNull(agent.erasedAt), suspended_at: toIsoOrNull(agent.suspendedAt) },
		after: { erased_at: toIso(erasedAt), suspended_at: toIso(agent.suspendedAt ?? now), objects: deleted },
	});
	const erasure = { agentId, pseudonym: pseudonymOf(agentId), now };
	await commit(ctx.db, [
		guardStanding(ctx.db, agent),
		...statements.eraseDealings(ctx, erasure),
		...statements.eraseIdentity(ctx, erasure),
		noteStandingChange(ctx, { id: audit.id, agentId, at: now }),
		audit.statement,
	]);
	return { auditId: audit.id, erasedAt };
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
