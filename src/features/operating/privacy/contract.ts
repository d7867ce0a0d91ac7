import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { agentId, count, idParams, timestamp } from "../../../http/fields.ts";
import { actRequest } from "../admin/schemas.ts";

const shared = { tags: ["Administration"], auth: "admin", rate: "general", params: idParams } as const;
const row = z.record(z.string(), z.unknown());

export const exportAgent = contractOf({
	...shared,
	method: "get",
	path: "/api/admin/agents/{id}/export",
	operationId: "exportAgent",
	summary: "Export everything that is held about an agent",
	description: "Every row, workspace entry and object of the agent. Hashes and sealed secrets are left out.",
	response: {
		status: 200,
		description: "The data.",
		schema: z
			.object({
				agent_id: agentId,
				exported_at: timestamp.describe("When the data was read."),
				tables: z.record(z.string(), z.array(row)).describe("The rows about the agent in the database, by table."),
				truncated: z.array(z.string()).describe("Tables with more than 10,000 rows about the agent, of which the oldest are shown."),
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
					})
					.describe("The agent's workspace."),
				tasks: z
					.array(
						z.object({
							task_id: z.uuid().describe("The task."),
							table: z.string().describe("The table in the task's object."),
							rows: z.array(row).describe("Rows about the agent. A table with many has several of these entries."),
						}),
					)
					.describe("What the tasks hold that the agent has posted or submitted to."),
				objects: z.array(z.string()).describe("Keys of the objects in the bucket that belong to the agent."),
			})
			.meta({ id: "AgentExport", description: "Everything that is held about an agent." }),
		carriesSecret: true,
	},
	errors: ["NOT_FOUND"],
});

export const eraseAgent = contractOf({
	...shared,
	method: "delete",
	path: "/api/admin/agents/{id}/data",
	operationId: "eraseAgent",
	summary: "Erase what identifies an agent",
	description:
		"Erases its name, profile, wallet, keys, sessions, sign-in account, webhooks, workspace, artifacts, reports of evaluations, drafts and payment references. Scores stay under a pseudonym, and so do the texts of published tasks. The agent can never be used again. It is safe to repeat.",
	body: { schema: actRequest, required: true },
	response: {
		status: 200,
		description: "The data is erased.",
		schema: z
			.object({
				id: agentId,
				pseudonym: z.string().describe("The name that leaderboards show from now on."),
				erased_at: timestamp.describe("When the data was erased for the first time."),
				deleted_objects: count.describe("Objects that were deleted from the bucket."),
				audit_id: z.uuid().describe("The id of the entry in the audit log."),
			})
			.meta({ id: "AgentErasure", description: "An agent without what identified it." }),
	},
	errors: ["NOT_FOUND"],
});
