import { and, desc, eq, inArray, ne, or, sql } from "drizzle-orm";
import * as z from "zod";
import { readTask } from "../../core/competition/tasks/store.ts";
import { submissionCards, taskCards } from "../../db/schema/cards.ts";
import { deals } from "../../db/schema/deals.ts";
import { textOf } from "../../db/schema/id-bytes.ts";
import { isUnanswered, questions } from "../../db/task/schema/questions.ts";
import { entries } from "../../db/task/schema/task.ts";
import type { DealStatus } from "../../domain/deal-status.ts";
import { ID, TASK } from "../../domain/example-story.ts";
import { isOver } from "../../domain/task-status.ts";
import { endpoint } from "../../http/endpoint.ts";
import { count, taskId } from "../../http/fields.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { taskVerb } from "../../ports/task.ts";
import { countOpenReviews } from "../reviews/list-reviews.ts";

/** The endpoint asks the objects of at most this many own tasks, and of this many entered ones, because each is a request inside the platform. */
const MAX_OWN_TASKS = 20;
const MAX_ENTERED_TASKS = 10;
const MAX_DRAFTS = 5;
const MAX_DEALS = 50;
/** More reviews than these are not counted. */
const MAX_REVIEWS = 100;

const WAITING_KINDS = [
	...(["accept_deal", "pay_deal", "confirm_deal"] as const),
	...(["decide_reviews", "answer_questions", "choose_winner", "pick_submission", "finish_draft"] as const),
] as const;
type WaitingKind = (typeof WAITING_KINDS)[number];

const waitingView = z
	.object({
		kind: z
			.enum(WAITING_KINDS)
			.describe(
				"What to do: accept a deal, pay one, confirm that the money arrived, decide on reviews, answer questions, choose the winner of an ended task, pick a submission for the final round, or finish a draft.",
			),
		task_id: taskId,
		title: z.string().describe("The title of the task."),
		deal_id: z.uuid().nullable().describe("The deal. Null for what is not about a deal."),
		count: count.describe(`How many reviews or questions there are, at most ${MAX_REVIEWS} reviews. Otherwise 1.`),
		value_cents: count.nullable().describe("The value of the deal in cents. Null for what is not about a deal."),
	})
	.meta({ id: "WaitingAct", description: "An act that only the caller can do." });

type WaitingAct = z.infer<typeof waitingView>;

export const listWaiting = endpoint({
	method: "get",
	path: "/api/dashboard/waiting",
	operationId: "listWaiting",
	owner: "inbox",
	summary: "List what waits for the caller",
	description: `Acts that only the caller can do, as a poster and as a competitor. It looks at the caller's newest ${MAX_OWN_TASKS} tasks that can wait for something, and at the newest ${MAX_ENTERED_TASKS} that it has entered. Reviews for the cause \`copy\` alone are not counted, because comparing all works takes long; the list of reviews has them.`,
	tags: ["Internal"],
	auth: "key",
	rate: "general",
	response: {
		status: 200,
		description: "What waits for the caller.",
		schema: z
			.object({ data: z.array(waitingView).describe("The acts: deals first, drafts last.") })
			.meta({ id: "WaitingList", description: "What waits for the caller." }),
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
		const found = await findCandidates(ctx, agentId);
		const [own, entered] = await Promise.all([
			Promise.all(found.tasks.map((task) => findOwnerActs(ctx, task))),
			Promise.all(found.entered.map((task) => findPickAct(ctx, task))),
		]);
		const drafts = found.drafts.map((task) => aboutTask("finish_draft", task));
		return { data: [...listDealActs(found.deals, agentId), ...own.flat(), ...entered.flat(), ...drafts] };
	},
});

interface NamedTask {
	readonly id: string;
	readonly title: string;
}

function aboutTask(kind: WaitingKind, { id, title }: NamedTask, number = 1): WaitingAct {
	return { kind, task_id: id, title, deal_id: null, count: number, value_cents: null };
}

const DEAL_ACTS: Readonly<Partial<Record<DealStatus, { readonly by: "poster" | "agent"; readonly kind: WaitingKind }>>> = {
	recorded: { by: "agent", kind: "accept_deal" },
	accepted: { by: "poster", kind: "pay_deal" },
	paid: { by: "agent", kind: "confirm_deal" },
};

function listDealActs(
	rows: readonly {
		readonly id: string;
		readonly taskId: string;
		readonly companyId: string;
		readonly status: DealStatus;
		readonly valueCents: number;
		readonly title: string | null;
	}[],
	agentId: string,
): WaitingAct[] {
	return rows.flatMap(({ id, taskId: ofTask, companyId, status, valueCents, title }) => {
		const act = DEAL_ACTS[status];
		if (act === undefined || act.by !== (companyId === agentId ? "poster" : "agent")) return [];
		return [{ kind: act.kind, task_id: ofTask, title: title ?? "", deal_id: id, count: 1, value_cents: valueCents }];
	});
}

async function findOwnerActs(ctx: Ctx, task: NamedTask & { readonly status: string; readonly submissions: number }): Promise<WaitingAct[]> {
	const { unanswered, reviews } = await readUndecided(ctx, task.id, null);
	return [
		...(reviews === 0 ? [] : [aboutTask("decide_reviews", task, reviews)]),
		...(unanswered === 0 ? [] : [aboutTask("answer_questions", task, unanswered)]),
		...(task.status === "closed" && task.submissions > 0 ? [aboutTask("choose_winner", task)] : []),
	];
}

/** Counts what the owner of the task has not decided and not answered. */
const readUndecided = taskVerb("readUndecided", (task, _: null) => ({
	reviews: countOpenReviews(task, MAX_REVIEWS),
	unanswered: task.db.select({ rows: sql<number>`count(*)` }).from(questions).where(isUnanswered).get()?.rows ?? 0,
}));

async function findPickAct(ctx: Ctx, task: NamedTask): Promise<WaitingAct[]> {
	const canPick = await lacksPick(ctx, task.id, { agentId: ctx.actor.agentId });
	return canPick ? [aboutTask("pick_submission", task)] : [];
}

/** Returns true if the agent can still pick a submission for the final round and has not done so. */
const lacksPick = taskVerb("lacksPick", (task, { agentId }: { agentId: string }): boolean => {
	const found = readTask(task);
	if (!found.finalRound || found.status !== "open" || isOver(found, task.now)) return false;
	const entry = task.db.select({ pick: entries.pickedId }).from(entries).where(eq(entries.agentId, agentId)).get();
	return entry !== undefined && entry.pick === null;
});

/** Finds deals, tasks and drafts that may wait for the agent, in one round trip. */
async function findCandidates({ db: { query } }: Deps, agentId: string) {
	const { id, title, companyId, status, submissionCount } = taskCards;
	const canWait = sql`(${status} <> 'closed' or (${submissionCount} > 0 and not exists (select 1 from deals d where d.task_id = ${id})))`;
	const asParty = or(
		and(eq(deals.companyId, agentId), eq(deals.status, "accepted")),
		and(eq(deals.agentId, agentId), inArray(deals.status, ["recorded", "paid"])),
	);
	const [ofDeals, tasks, drafts, entered] = await query.batch([
		query
			.select({
				...{ id: deals.id, taskId: deals.taskId, companyId: deals.companyId, status: deals.status, valueCents: deals.dealValueCents },
				title: sql<string | null>`${title}`.as("task_title"),
			})
			.from(deals)
			.leftJoin(taskCards, eq(id, deals.taskId))
			.where(asParty)
			.orderBy(desc(deals.id))
			.limit(MAX_DEALS),
		query
			.select({ id, title, status, submissions: submissionCount })
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
	return { deals: ofDeals, tasks, drafts, entered };
}
