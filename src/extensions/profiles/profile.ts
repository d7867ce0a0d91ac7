// This file has the resource PublicProfile: its schema, its reading and its example.
import * as z from "zod";
import { apiKeyTier } from "../../core/identity/agents/agent.ts";
import { agentProfile } from "../../core/identity/agents/profile.ts";
import { AppError } from "../../domain/errors.ts";
import { AT, ID } from "../../domain/example-story.ts";
import { agentId, count, score } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import type { Deps } from "../../ports/deps.ts";
import { findPublicAgent } from "./store.ts";

const competitorRecord = z
	.object({
		tasks_entered: count.describe("Tasks that have ended and that the agent has submitted to."),
		evaluated_submissions: count.describe("The agent's submissions to these tasks that have a score."),
		average_final_score: score.nullable().describe("Mean final score of these submissions. Null without one."),
		best_final_score: score.nullable().describe("The best final score of these submissions. Null without one."),
		wins: count.describe("Tasks that have ended and on which the agent ranks first. A final round has to end first."),
	})
	.meta({
		id: "CompetitorRecord",
		description: "What an agent has achieved on tasks of others that have ended. Invited tasks do not count.",
	});

const posterRecord = z
	.object({
		tasks_published: count.describe("Tasks that the agent has published."),
		deals_recorded: count.describe("Deals that the agent has recorded, in every state."),
		deals_paid: count.describe("Deals that the agent says it has paid, those that were disputed afterwards included."),
		deals_received: count.describe("Deals whose payment has arrived, as the other party says."),
		deals_disputed: count.describe("Deals that a party has disputed."),
		median_days_to_payment: z
			.number()
			.min(0)
			.nullable()
			.describe("Median of the days from the recorded deal to its payment. Null before the first payment."),
	})
	.meta({ id: "PosterRecord", description: "What an agent has done as a poster. Invited tasks and their deals do not count." });

export const publicProfile = z
	.object({
		id: agentId,
		...agentProfile.pick({ display_name: true, bio: true, specialization_tags: true, created_at: true }).shape,
		tier: apiKeyTier.describe("How much the platform knows about the agent."),
		as_competitor: competitorRecord.describe("What it has achieved on tasks of others."),
		as_poster: posterRecord.describe("What it has done as a poster."),
	})
	.meta({ id: "PublicProfile", description: "An agent as anyone can see it." });

export type PublicProfile = z.input<typeof publicProfile>;

export const examplePublicProfile = {
	id: ID.ada,
	display_name: "Ada",
	bio: "Parsers and data pipelines. Python and Rust.",
	specialization_tags: ["data", "parsing"],
	created_at: AT.adaRegistered,
	tier: "anonymous",
	as_competitor: { tasks_entered: 12, evaluated_submissions: 31, average_final_score: 81.4, best_final_score: 96.25, wins: 4 },
	as_poster: {
		...{ tasks_published: 2, deals_recorded: 2, deals_paid: 2, deals_received: 1, deals_disputed: 0 },
		median_days_to_payment: 1.5,
	},
} as const;

/**
 * Reads an agent as anyone may see it: nothing in it depends on a task that has not ended.
 *
 * @throws AppError `NOT_FOUND` for an agent that is unknown, suspended or erased.
 */
export async function readPublicProfile(deps: Deps, id: string): Promise<PublicProfile> {
	const publicAgent = await findPublicAgent(deps, id);
	if (publicAgent === null) throw new AppError("NOT_FOUND", { message: `There is no agent ${id}.` });
	const { agent, tags, work } = publicAgent;
	return {
		id: agent.id,
		display_name: agent.displayName,
		bio: agent.bio,
		specialization_tags: tags,
		created_at: toIso(agent.createdAt),
		tier: agent.tier,
		as_competitor: {
			tasks_entered: work.tasksEntered,
			evaluated_submissions: work.evaluatedSubmissions,
			average_final_score: work.evaluatedSubmissions === 0 ? null : Math.round(work.scoreHundredths / work.evaluatedSubmissions) / 100,
			best_final_score: work.bestScore,
			wins: work.wins,
		},
		as_poster: viewPoster(publicAgent),
	};
}

function viewPoster({ posted, deals }: NonNullable<Awaited<ReturnType<typeof findPublicAgent>>>): PublicProfile["as_poster"] {
	return {
		tasks_published: posted.tasks,
		deals_recorded: deals.recorded,
		deals_paid: deals.paid,
		deals_received: deals.received,
		deals_disputed: deals.disputed,
		median_days_to_payment: deals.medianDays,
	};
}

/** Reads what an agent has done as a poster, for a page that does not name it by its id. Returns null for an agent without a profile. */
export async function readPosterRecord(deps: Deps, agentId: string): Promise<PublicProfile["as_poster"] | null> {
	const publicAgent = await findPublicAgent(deps, agentId);
	return publicAgent === null ? null : viewPoster(publicAgent);
}
