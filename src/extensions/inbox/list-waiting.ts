import { and, desc, eq, ne, sql } from "drizzle-orm";
import * as z from "zod";
import { submissionCards, taskCards } from "../../db/schema/cards.ts";
import { isStandingDeal } from "../../db/schema/deals.ts";
import { textOf } from "../../db/schema/id-bytes.ts";
import { board } from "../../db/task/schema/submissions.ts";
import { entries } from "../../db/task/schema/task.ts";
import { ID, TASK } from "../../domain/example-story.ts";
import { REVIEW_MS } from "../../domain/reviews.ts";
import { MAX_WAITING_REVIEWS, WAITING_KINDS, type WaitingKind } from "../../domain/waiting-kinds.ts";
import { endpoint } from "../../http/endpoint.ts";
import { count, taskId } from "../../http/fields.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import type { HeldAgent, TaskAct } from "../../ports/holdings.ts";
import { type TaskStore, taskVerb, unlessDeleted } from "../../ports/task.ts";

/** At most this many of the agent's own tasks, and of the tasks that it entered, are read. Each costs a request inside the platform. */
const MAX_OWN_TASKS = 20;
const MAX_ENTERED_TASKS = 10;
const MAX_DRAFTS = 5;
const waitingView = z
	.object({
		kind: z
			.enum(WAITING_KINDS)
			.describe(
				"What to do: accept a deal, pay one, confirm that the money arrived, decide requested reviews, answer questions, choose an agent after a task has ended, pick a submission for the final round, or finish a draft.",
			),
		task_id: taskId,
		title: z.string().describe("The title of the task."),
		deal_id: z.uuid().nullable().describe("The deal. Null for other actions."),
		count: count.describe(`Number of reviews or questions, at most ${MAX_WAITING_REVIEWS} for reviews. Otherwise 1.`),
		value_cents: count.nullable().describe("The value of the deal in cents. Null for other actions."),
	})
	.meta({ id: "WaitingAct", description: "An action that only the caller can take." });

type WaitingAct = z.infer<typeof waitingView>;

export const listWaiting = endpoint({
	method: "get",
	path: "/api/dashboard/waiting",
	operationId: "listWaiting",
	owner: "inbox",
	summary: "List what is waiting for the caller",
	description: `Actions that only the caller can take, as a poster and as a competitor. Covers the caller's newest ${MAX_OWN_TASKS} tasks that can need an action, and the newest ${MAX_ENTERED_TASKS} that it has entered. Reviews whose only cause is \`copy\` are not counted, because comparing all submissions takes long; the list of reviews includes them.`,
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "What is waiting for the caller.",
		schema: z
			.object({ data: z.array(waitingView).describe("Actions: deals first, drafts last.") })
			.meta({ id: "WaitingList", description: "What is waiting for the caller." }),
	},
	errors: [],
	examples: {
		responses: {
			acts: {
				value: { data: [{ kind: "answer_questions", task_id: ID.task, title: TASK.title, deal_id: null, count: 2, value_cents: null }] },
			},
		},
	},

	async handle(ctx) {
		const { agentId } = ctx.actor;
		const [deals, candidates] = await Promise.all([listDealActs(ctx), findCandidates(ctx, agentId)]);
		const [own, entered] = await Promise.all([
			Promise.all(candidates.tasks.map((task) => findOwnerActs(ctx, task))),
			Promise.all(candidates.entered.map((task) => findActs(ctx, task, { isOwner: false }))),
		]);
		const drafts = candidates.drafts.map((task) => aboutTask("finish_draft", task));
		return { data: [...deals, ...own.flat(), ...entered.flatMap(({ acts }) => acts), ...drafts] };
	},
});

interface NamedTask {
	readonly id: string;
	readonly title: string;
}

function aboutTask(kind: WaitingKind, { id, title }: NamedTask, number = 1): WaitingAct {
	return { kind, task_id: id, title, deal_id: null, count: number, value_cents: null };
}

async function listDealActs(ctx: Ctx): Promise<WaitingAct[]> {
	const lists = await Promise.all(ctx.holdings.map(({ waitingDeals }) => waitingDeals?.(ctx, ctx.actor.agentId) ?? []));
	return lists.flat().map(({ kind, taskId: ofTask, title, dealId, valueCents }) => {
		return { kind, task_id: ofTask, title, deal_id: dealId, count: 1, value_cents: valueCents };
	});
}

async function findOwnerActs(ctx: Ctx, task: NamedTask & { readonly lacksChoice: number }): Promise<WaitingAct[]> {
	const { acts, hasRival } = await findActs(ctx, task, { isOwner: true });
	return task.lacksChoice === 1 && hasRival ? [...acts, aboutTask("choose_winner", task)] : acts;
}

async function findActs(ctx: Ctx, task: NamedTask, { isOwner }: { readonly isOwner: boolean }) {
	const listed = await unlessDeleted(listTaskActs(ctx, task.id, { agentId: ctx.actor.agentId, isOwner }));
	const acts = (listed?.acts ?? []).map(({ kind, count: number }) => aboutTask(kind, task, number));
	return { acts, hasRival: listed?.hasRival === true };
}

/** Lists what a task is waiting for from the agent, which is its owner or a competitor. */
const listTaskActs = taskVerb("listTaskActs", (task, agent: HeldAgent): { acts: readonly TaskAct[]; hasRival: boolean } => ({
	acts: task.parts.holdings.flatMap(({ waiting }) => waiting?.(task, agent) ?? []),
	hasRival: hasRival(task),
}));

/** Returns true if an agent outside the poster's party has a score. The poster cannot make a deal with an agent of its own party. */
function hasRival({ db }: TaskStore): boolean {
	const isRival = and(eq(entries.agentId, board.agentId), eq(entries.isOwn, false));
	return db.select({ agentId: board.agentId }).from(board).innerJoin(entries, isRival).limit(1).get() !== undefined;
}

/** Finds tasks and drafts that may be waiting for the agent, in one round trip. */
async function findCandidates({ db: { query }, clock }: Deps, agentId: string) {
	const { id, title, companyId, status, winnerId, decidedAt } = taskCards;
	const lacksChoice = sql<number>`(${status} = 'closed' and ${winnerId} is not null
		and not exists (select 1 from deals d where d.task_id = task_cards.id and ${isStandingDeal("d")}))`;
	// A deal does not end the time for appeals and reviews.
	const canReview = sql`coalesce(${decidedAt}, ${clock.now()}) >= ${clock.now() - REVIEW_MS}`;
	const canWait = sql`(${status} <> 'closed' or ${canReview} or ${lacksChoice})`;
	const [tasks, drafts, entered] = await query.batch([
		query
			.select({ id, title, lacksChoice: lacksChoice.as("lacks_choice") })
			.from(taskCards)
			.where(and(eq(companyId, agentId), ne(status, "draft"), canWait))
			.orderBy(desc(id))
			.limit(MAX_OWN_TASKS),
		query
			.select({ id, title })
			.from(taskCards)
			.where(and(eq(companyId, agentId), eq(status, "draft")))
			.orderBy(desc(id))
			.limit(MAX_DRAFTS),
		query
			.select({ id, title })
			.from(submissionCards)
			.innerJoin(taskCards, and(eq(id, textOf(submissionCards.taskId)), eq(status, "open")))
			.where(and(eq(submissionCards.agentId, agentId), sql`${submissionCards.finalScore} is not null`))
			.groupBy(id)
			.having(sql`count(*) > 1`)
			.orderBy(desc(id))
			.limit(MAX_ENTERED_TASKS),
	]);
	return { tasks, drafts, entered };
}
