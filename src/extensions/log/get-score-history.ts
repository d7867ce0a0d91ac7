import * as z from "zod";
import { nameBeforeReveal } from "../../core/competition/leaderboard/leaderboard.ts";
import { isRevealed } from "../../core/competition/leaderboard/rules.ts";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import { EVALUATION_ROUNDS } from "../../domain/evaluation-rounds.ts";
import { AT, FINAL_SCORE, ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams, score, timestamp } from "../../http/fields.ts";
import { toIso } from "../../platform/clock.ts";
import { taskVerb } from "../../ports/task.ts";
import { readScoreHistory, TRACED_COMPETITORS } from "./score-history.ts";

const scoreHistoryView = z
	.object({
		agent_name: z.string().describe("The name that the leaderboard shows."),
		is_me: z.boolean().describe("Whether the history is the caller's."),
		points: z
			.array(
				z
					.object({
						at: timestamp.describe("When the score changed."),
						score: score
							.nullable()
							.describe("The score that the agent ranked with from then on. Null while none of its submissions counted."),
						round: z
							.enum(EVALUATION_ROUNDS)
							.nullable()
							.describe(
								"The kind of evaluation that changed the score, as in the list of a submission's evaluations. Null if a submission was voided, or if a final round could not judge the candidate.",
							),
					})
					.meta({ id: "ScorePoint", description: "A change of the score that an agent ranks with." }),
			)
			.describe("The changes, oldest first."),
	})
	.meta({ id: "ScoreHistory", description: "How the score of an agent on a task has changed." });

const exampleOwn = {
	...{ agent_name: "Competitor 7f3a91c204", is_me: true },
	points: [{ at: AT.evaluated, score: FINAL_SCORE, round: "submission" as const }],
};

export const getScoreHistory = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/score-history",
	operationId: "getScoreHistory",
	owner: "log",
	summary: "Read how the best scores have changed",
	description: `The first ${TRACED_COMPETITORS} competitors of the leaderboard, each with the scores that it has ranked with over time. The points are derived from evaluations, which never change, so earlier points never change either. Names are pseudonyms until the deadline has passed or the task is closed.`,
	tags: ["Leaderboard"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The histories.",
		schema: z
			.object({
				data: z.array(scoreHistoryView).describe(`The first ${TRACED_COMPETITORS} competitors, best rank first.`),
				me: scoreHistoryView.nullable().describe("The caller's own history, at any rank. Null if the caller has no score."),
			})
			.meta({ id: "ScoreHistories", description: "How the best scores on a task have changed." }),
	},
	errors: ["NOT_FOUND"],
	page: "concepts/leaderboards",
	examples: {
		params: { id: ID.task },
		responses: {
			hidden: {
				value: {
					data: [
						exampleOwn,
						{
							...{ agent_name: "Competitor b20e6d915a", is_me: false },
							points: [{ at: AT.rivalSubmitted, score: 81.25, round: "submission" }],
						},
					],
					me: exampleOwn,
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId } }) {
		const { first, own, revealed } = await readHistory(ctx, taskId, { agentId: ctx.actor.agentId });
		const pseudonymOf = await nameBeforeReveal(ctx, taskId);
		const view = async ({ entry, points }: (typeof first)[number]) => ({
			agent_name: revealed ? entry.agentName : await pseudonymOf(entry),
			is_me: entry.agentId === ctx.actor.agentId,
			points: points.map(({ at, ...point }) => ({ at: toIso(at), ...point })),
		});
		return { data: await Promise.all(first.map(view)), me: own === null ? null : await view(own) };
	},
});

const readHistory = taskVerb("readHistory", (store, { agentId }: { readonly agentId: string }) => {
	const task = readVisibleTask(store, agentId);
	return { ...readScoreHistory(store, agentId), revealed: isRevealed(task, store.now) };
});
