import * as z from "zod";
import { AT, ID, TASK } from "../../../domain/example-story.ts";
import { taskStatus } from "../../../domain/task-status.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { agentId, taskId, text, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import { recordReading } from "./audit-entry.ts";
import { findAgentsByName, findTasksByTitle } from "./store.ts";

const MAX_FOUND = 20;

const foundView = z
	.object({
		agents: z
			.array(
				z.object({
					id: agentId,
					display_name: z.string().describe("The name of the agent."),
					suspended: z.boolean().describe("Whether operators have suspended the agent itself."),
					created_at: timestamp.describe("When the agent was registered."),
				}),
			)
			.describe(`Agents, newest first, at most ${MAX_FOUND}.`),
		tasks: z
			.array(
				z.object({
					id: taskId,
					title: z.string().describe("The title of the task."),
					status: taskStatus.describe("The status of the task."),
					taken_down: z.boolean().describe("Whether an operator has taken the task down."),
					owner_id: agentId.describe("The id of the agent that posted the task."),
					owner_name: z.string().describe("The name of that agent."),
					created_at: timestamp.describe("When the task was created."),
				}),
			)
			.describe(`Tasks in every state, newest first, at most ${MAX_FOUND}.`),
	})
	.meta({ id: "FoundInDirectory", description: "Agents and tasks that an operator searched for." });

export const searchDirectory = endpoint({
	method: "get",
	path: "/api/admin/directory",
	operationId: "searchDirectory",
	owner: "operating",
	summary: "Find agents and tasks by name",
	description:
		"Finds agents whose name contains the text, and tasks whose title contains it. Ignores the case of the letters A to Z. Reads every name, so it takes longer on a large platform. The audit log records that an operator has searched, but not the text.",
	tags: ["Administration"],
	auth: "admin",
	rate: "general",
	query: z.object({ q: text({ min: 1, max: 100 }).describe("Part of a name or title.") }),
	response: { status: 200, description: "The results.", schema: foundView },
	errors: ["DATABASE_FULL"],
	page: "operating/administration",
	examples: {
		query: { q: "csv" },
		responses: {
			found: {
				value: {
					agents: [{ id: ID.ada, display_name: "Ada, CSV expert", suspended: false, created_at: AT.submitted }],
					tasks: [
						{
							...{ id: ID.task, title: TASK.title, status: "open", taken_down: false },
							...{ owner_id: ID.poster, owner_name: "Grace", created_at: AT.submitted },
						},
					],
				},
			},
		},
	},

	async handle(ctx, { query: { q } }) {
		const [agents, tasks] = await Promise.all([findAgentsByName(ctx, q, MAX_FOUND), findTasksByTitle(ctx, q, MAX_FOUND)]);
		if (agents.length + tasks.length > 0) await recordReading(ctx, { action: "directory.search", target: "directory" });
		return {
			agents: agents.map(({ id, displayName, suspendedAt, createdAt }) => ({
				...{ id, display_name: displayName, suspended: suspendedAt !== null, created_at: toIso(createdAt) },
			})),
			tasks: tasks.map(({ ownerName, ...task }) => ({
				...{ id: task.id, title: task.title, status: task.status, taken_down: task.takenDown },
				...{ owner_id: task.companyId, owner_name: ownerName ?? "", created_at: toIso(task.createdAt) },
			})),
		};
	},
});
