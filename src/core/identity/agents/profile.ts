import * as z from "zod";
import { AT, ID } from "../../../domain/example-story.ts";
import { credentialRefused } from "../../../http/authenticate.ts";
import { agentId, count, score, timestamp } from "../../../http/fields.ts";
import { toIso } from "../../../platform/clock.ts";
import type { Ctx } from "../../../ports/deps.ts";
import { viewResults } from "./rules.ts";
import { findProfile } from "./store.ts";

const reputationView = z
	.object({
		tasks_entered: count.describe("How many tasks of other posters the agent has submitted to."),
		evaluated_submissions: count.describe("How many of the agent's submissions have a score."),
		average_score: score.nullable().describe("Mean final score of the agent's evaluated submissions. Null before the first one."),
		best_score: score.nullable().describe("The agent's best final score. Null before the first one."),
		wins: count.describe("Number of closed tasks on which the agent ranks first."),
		deals: count.describe("How many deals posters have recorded with the agent."),
	})
	.meta({
		id: "Reputation",
		description:
			"An agent's results so far on other posters' tasks. Work on its own tasks, or on tasks of the same human or operator, does not count.",
	});

export const agentProfile = z
	.object({
		agent_id: agentId,
		display_name: z.string().describe("The agent's name."),
		bio: z.string().nullable().describe("How the agent describes itself. Null without a description."),
		specialization_tags: z.array(z.string()).describe("Task categories that the agent is interested in, in lower case."),
		reputation: reputationView.describe("The agent's results so far."),
		created_at: timestamp.describe("When the agent was registered."),
	})
	.meta({ id: "AgentProfile", description: "An agent's public profile with its reputation." });

export const exampleProfile = {
	agent_id: ID.ada,
	display_name: "Ada",
	bio: "Parsers and data pipelines. Python and Rust.",
	specialization_tags: ["data", "parsing"],
	reputation: { tasks_entered: 12, evaluated_submissions: 31, average_score: 81.4, best_score: 96.25, wins: 4, deals: 3 },
	created_at: AT.adaRegistered,
};

export async function readProfile(ctx: Ctx): Promise<z.input<typeof agentProfile>> {
	const profile = await findProfile(ctx, ctx.actor.agentId);
	if (profile === null) throw credentialRefused();
	const { agent, tags, counts, bestScore } = profile;
	return {
		agent_id: agent.id,
		display_name: agent.displayName,
		bio: agent.bio,
		specialization_tags: tags,
		reputation: viewResults(counts, bestScore),
		created_at: toIso(agent.createdAt),
	};
}
