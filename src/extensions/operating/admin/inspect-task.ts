import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId, text } from "../../../http/fields.ts";
import { limitParameter } from "../../../http/pagination.ts";
import { inspectTables } from "../tasks/inspect-task.ts";

export const inspectedTables = z
	.array(
		z
			.object({
				table: z.string().describe("The name of the table."),
				count: z.int().min(0).describe("Number of rows."),
				rows: z
					.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()]).meta({ override: {} })))
					.describe("Some of its rows, as stored: text, a number or null for each column."),
			})
			.meta({ id: "InspectedTable", description: "A table of a task's object." }),
	)
	.describe("The tables, by name.");

const inspectedTaskView = z
	.object({ id: taskId, tables: inspectedTables })
	.meta({ id: "InspectedTask", description: "The content of a task's object." });

export const inspectTask = endpoint({
	method: "get",
	path: "/api/admin/tasks/{id}/inspect",
	operationId: "inspectTask",
	owner: "operating",
	summary: "See the content of a task's object",
	description: "Shows rows of each table, without hashes and encrypted secrets. Texts are cut after 1,000 characters.",
	tags: ["Administration"],
	auth: "admin",
	role: "operate",
	rate: "general",
	params: idParams,
	query: z.object({
		table: text({ max: 100 }).optional().describe("Only this table."),
		offset: z
			.string()
			.regex(/^\d{1,8}$/, "must be a whole number of at least 0")
			.transform(Number)
			.default(0)
			.meta({
				description: "How many rows of each table to skip.",
				override: { type: "integer", minimum: 0, maximum: 99_999_999, default: 0 },
			}),
		limit: limitParameter({ max: 100, default: 20 }),
	}),
	response: { status: 200, description: "The tables.", schema: inspectedTaskView, carriesSecret: true },
	errors: ["NOT_FOUND"],
	page: "operating/operations",
	examples: {
		params: { id: ID.task },
		query: { table: "entries", limit: "1" },
		responses: {
			rows: {
				value: {
					id: ID.task,
					tables: [
						{
							table: "entries",
							count: 12,
							rows: [{ agent_id: ID.ada, party: ID.ada, quota_used: 2, picked_id: null, is_own: 0, created_at: 1_793_263_600_000 }],
						},
					],
				},
			},
		},
	},

	async handle(ctx, { params: { id }, query: { table, ...page } }) {
		const tables = await inspectTables(ctx, id, { table: table ?? null, ...page });
		return { id, tables };
	},
});
