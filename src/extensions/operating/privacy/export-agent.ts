import * as z from "zod";
import { selectTasksOf } from "../../../core/competition/directory/cards.ts";
import { readDeliveriesOf } from "../../../core/events/webhooks/administration.ts";
import { AT, ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, count, idParams, timestamp } from "../../../http/fields.ts";
import { streamText } from "../../../http/stream-text.ts";
import { toIso } from "../../../platform/clock.ts";
import type { AdminCtx } from "../../../ports/deps.ts";
import { unlessDeleted } from "../../../ports/task.ts";
import type { WorkspacePort } from "../../../ports/workspace.ts";
import { recordReading } from "../admin/audit-entry.ts";
import { getStanding } from "../admin/suspension.ts";
import { listWork } from "../tasks/erase-agent.ts";
import { type ExportPlace, readRowsOf } from "../tasks/export-agent.ts";
import { isShown } from "../tasks/inspect-task.ts";
import { listWorkspaceObjects, selectRows, type TableRow } from "./store.ts";

const row = z.record(z.string(), z.unknown());

export const exportAgent = endpoint({
	method: "get",
	path: "/api/admin/agents/{id}/export",
	operationId: "exportAgent",
	owner: "operating",
	summary: "Export all data about an agent",
	description:
		"Contains the rows about the agent, its workspace and inbox, and the keys of its objects in the bucket. Does not include hashes or encrypted secrets.",
	tags: ["Administration"],
	auth: "admin",
	role: "operate",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The data.",
		schema: z
			.object({
				agent_id: agentId,
				exported_at: timestamp.describe("When the data was read."),
				tables: z.record(z.string(), z.array(row)).describe("The rows about the agent in the database, by table."),
				truncated: z
					.array(z.string())
					.describe(
						"Tables that are incomplete. They contain only 10,000 of the rows about the agent. `webhook_deliveries` ends earlier if bodies exceed 16 MB in total.",
					),
				workspace: z
					.object({
						entries: z
							.array(z.object({ key: z.string().describe("The key."), value: z.unknown().describe("The value.") }))
							.describe("The entries."),
						files: z
							.array(
								z.object({
									path: z.string().describe("The path."),
									size_bytes: count.describe("Size of the file."),
									content_type: z.string().describe("The type of its content."),
									object: z.string().describe("The key of its object."),
								}),
							)
							.describe("The files."),
						inbox: z
							.array(
								z.object({
									event: z.string().describe("What happened."),
									text: z.string().describe("The sentence."),
									at: timestamp.describe("When."),
								}),
							)
							.describe("The inbox, oldest entry first."),
					})
					.describe("The agent's workspace."),
				tasks: z
					.array(
						z.object({
							task_id: z.uuid().describe("The task."),
							table: z.string().describe("The table in the task's object."),
							rows: z.array(row).describe("Rows about the agent. A table with many rows has several of these entries."),
						}),
					)
					.describe("Data about the agent in tasks that it has posted or submitted to."),
				objects: z.array(z.string()).describe("Keys of the objects in the bucket that belong to the agent."),
			})
			.meta({ id: "AgentExport", description: "All data about an agent." }),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND", "DATABASE_FULL"],
	page: "operating/administration",
	examples: {
		params: { id: ID.ada },
		responses: {
			data: {
				value: {
					agent_id: ID.ada,
					exported_at: AT.dealt,
					tables: { agents: [{ id: ID.ada, display_name: "Ada" }] },
					truncated: [],
					workspace: { entries: [{ key: "notes", value: { read: 3 } }], files: [], inbox: [] },
					tasks: [{ task_id: ID.task, table: "submissions", rows: [{ id: ID.submission, agent_id: ID.ada, status: "completed" }] }],
					objects: [`tasks/${ID.task}/artifacts/${ID.submission}.zip`],
				},
			},
		},
	},

	// Streams the rows of tasks, because a task can have hundreds of reports. If a row cannot be read, the response breaks off.
	async handle(ctx, { params: { id } }) {
		await getStanding(ctx, id);
		await recordReading(ctx, { action: "agent.export", target: id });
		const facts = {
			agent_id: id,
			exported_at: toIso(ctx.clock.now()),
			...(await readTables(ctx, id)),
			workspace: await ctx.hubs.callWorkspace(id, readWorkspace),
		};
		const objects = await listWorkspaceObjects(ctx, id);
		const taskIds = (await selectTasksOf(ctx, id)).map((task) => task.id);
		return new Response(streamText(writeExport(ctx, facts, { taskIds, objects })), {
			headers: { "Content-Type": "application/json; charset=utf-8" },
		});
	},
});

const MAX_ROWS = 10_000;
/** Limits the total length of the deliveries' bodies, because they are in memory twice: as rows, and as the JSON of the response. */
const MAX_BODY_CHARACTERS = 16 * 1_048_576;
const PAGE = 500;

async function* writeExport(
	ctx: AdminCtx,
	facts: { readonly agent_id: string },
	{ taskIds, objects }: { readonly taskIds: readonly string[]; readonly objects: readonly string[] },
): AsyncGenerator<string, void> {
	const { agent_id: agentId } = facts;
	yield `${JSON.stringify(facts).slice(0, -1)},"tasks":[`;
	const keys = [...objects];
	let separator = "";
	for (const taskId of taskIds) {
		for await (const { name, rows } of readTaskRows(ctx, taskId, agentId)) {
			yield `${separator}${JSON.stringify({ task_id: taskId, table: name, rows })}`;
			separator = ",";
		}
		keys.push(...((await unlessDeleted(listWork(ctx, taskId, { agentId }))) ?? []));
	}
	yield `],"objects":${JSON.stringify(keys)}}`;
}

async function readTables(ctx: AdminCtx, agentId: string) {
	const deliveries = await readDeliveryRows(ctx, agentId);
	const rows: Readonly<Record<string, readonly TableRow[]>> = {
		...(await selectRows(ctx, agentId, MAX_ROWS + 1)),
		webhook_deliveries: deliveries.rows,
	};
	const tables = Object.entries(rows).map(([table, tableRows]) => [table, tableRows.slice(0, MAX_ROWS).map(withoutSecrets)] as const);
	const truncated = Object.keys(rows).filter((table) => (rows[table]?.length ?? 0) > MAX_ROWS);
	return { tables: Object.fromEntries(tables), truncated: deliveries.isCut ? [...truncated, "webhook_deliveries"] : truncated };
}

/** Reads the newest deliveries of each webhook until their bodies are longer than {@link MAX_BODY_CHARACTERS} in total. */
async function readDeliveryRows(ctx: AdminCtx, agentId: string): Promise<{ rows: TableRow[]; isCut: boolean }> {
	const rows: TableRow[] = [];
	let characters = 0;
	for await (const page of readDeliveriesOf(ctx, agentId, MAX_ROWS + 1)) {
		if (page.length > 0 && characters > MAX_BODY_CHARACTERS) return { rows, isCut: true };
		for (const { body } of page) characters += body.length;
		rows.push(...page.map(toTableRow));
	}
	return { rows, isCut: false };
}

/** Renames the fields of a delivery in the style of table columns. */
function toTableRow(delivery: object): TableRow {
	return Object.fromEntries(
		Object.entries(delivery).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
	);
}

type RowsPage = ReturnType<(typeof readRowsOf)["run"]>;

/** Reads the rows about the agent in one task, one page of one table at a time. */
async function* readTaskRows(ctx: AdminCtx, taskId: string, agentId: string): AsyncGenerator<RowsPage, void> {
	let place: ExportPlace | null = { table: 0, offset: 0 };
	while (place !== null) {
		const page: RowsPage | null = await unlessDeleted(readRowsOf(ctx, taskId, { agentId, ...place }));
		if (page !== null && page.rows.length > 0) yield page;
		place = page?.next ?? null;
	}
}

function withoutSecrets(row: TableRow): TableRow {
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
		inbox: (await workspace.exportInbox()).map(({ event, text, createdAt }) => ({ event, text, at: toIso(createdAt) })),
	};
}

/** Parses an entry's value, which is JSON. Returns null for an entry that was deleted in the meantime. */
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
