// Finds what waits for the caller: acts that only the caller can do.
import { formatCents } from "../../../src/domain/formats.ts";
import type { DealRole, DealStatus } from "./deals.ts";

export interface Waiting {
	/** Says what to do. */
	readonly act: string;
	/** Says what it is about. */
	readonly about: string;
	/** The page of the console where the caller can do it. */
	readonly path: string;
}

interface ListedDeal {
	readonly id: string;
	readonly status: DealStatus;
	readonly role: DealRole;
	readonly deal_value_cents: number;
}

const DEAL_ACTS: Readonly<Record<DealStatus, Readonly<Record<DealRole, string | null>>>> = {
	recorded: { poster: null, agent: "Accept the deal" },
	accepted: { poster: "Pay the agent", agent: null },
	paid: { poster: null, agent: "Confirm that the money arrived" },
	received: { poster: null, agent: null },
	disputed: { poster: null, agent: null },
};

/** Lists the deals whose next step is the caller's. */
export function waitingDeals(deals: readonly ListedDeal[]): readonly Waiting[] {
	return deals.flatMap(({ id, status, role, deal_value_cents }) => {
		const act = DEAL_ACTS[status][role];
		return act === null ? [] : [{ act, about: `A deal of ${formatCents(deal_value_cents)}`, path: `/deals/${id}` }];
	});
}

interface OwnTask {
	readonly id: string;
	readonly title: string;
	readonly status: string;
	/** Questions without an answer. */
	readonly unanswered: number;
	/** Submissions that a person should look at. */
	readonly reviews: number;
	readonly hasMoreReviews: boolean;
	readonly submissions: number;
	readonly hasDeal: boolean;
}

const several = (number: number, one: string, many: string): string => (number === 1 ? one : `${number} ${many}`);

/** Lists what a task waits for from its owner. */
export function waitingOnTask(task: OwnTask): readonly Waiting[] {
	const { id, title, status, unanswered, reviews, hasMoreReviews, submissions, hasDeal } = task;
	const path = `/tasks/${id}`;
	const listed = `${reviews}${hasMoreReviews ? " or more" : ""}`;
	return [
		...(reviews === 0
			? []
			: [{ act: reviews === 1 ? "Decide a review" : `Decide ${listed} reviews`, about: title, path: `${path}?view=reviews` }]),
		...(unanswered === 0
			? []
			: [{ act: `Answer ${several(unanswered, "a question", "questions")}`, about: title, path: `${path}?view=questions` }]),
		...(status === "closed" && submissions > 0 && !hasDeal ? [{ act: "Choose the winner", about: title, path: `${path}?view=deal` }] : []),
		...(status === "draft" ? [{ act: "Finish the draft", about: title === "" ? "Without a title" : title, path: `${path}/edit` }] : []),
	];
}

interface EnteredTask {
	readonly id: string;
	readonly title: string;
	readonly status: string;
	readonly final_round: boolean;
	readonly pick: string | null;
}

/** Returns the pick that a task with a final round waits for. Null if there is nothing to pick. */
export function waitingPick(task: EnteredTask): Waiting | null {
	if (task.status !== "open" || !task.final_round || task.pick !== null) return null;
	return { act: "Pick a submission for the final round", about: task.title, path: `/bounties/${task.id}?view=own` };
}

interface Entry {
	readonly event: string;
	readonly text: string;
	readonly task_id: string;
	readonly read: boolean;
}

/** Lists the tasks on which another agent has overtaken the caller, as far as the caller has not read it. */
export function waitingOvertaken(entries: readonly Entry[]): readonly Waiting[] {
	const lost = entries.filter(({ event, read }) => event === "rank.first_lost" && !read);
	const byTask = new Map(lost.map((entry) => [entry.task_id, entry]));
	return [...byTask.values()].map(({ text, task_id }) => ({ act: "Take the lead back", about: text, path: `/bounties/${task_id}` }));
}

interface Scored {
	readonly task_id: string;
	readonly scores: object | null;
}

/** Lists the tasks to which the caller has at least two scored submissions, so that there is something to pick from. */
export function tasksWithChoice(submissions: readonly Scored[]): readonly string[] {
	const scored = Map.groupBy(
		submissions.filter(({ scores }) => scores !== null),
		({ task_id }) => task_id,
	);
	return [...scored].filter(([, of]) => of.length > 1).map(([taskId]) => taskId);
}
