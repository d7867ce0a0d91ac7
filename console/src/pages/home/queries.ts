// Gathers what waits for the caller from deals, own tasks, submissions and the inbox.
import { type QueryClient, queryOptions } from "@tanstack/react-query";
import { api, readPage, type Schemas } from "../../api/client.ts";
import { queryClient } from "../../api/queries.ts";
import { tasksWithChoice, type Waiting, waitingDeals, waitingOnTask, waitingOvertaken, waitingPick } from "../../rules/waiting.ts";
import { dealsKey } from "../deals/queries.ts";
import { inboxKey, latestQuery } from "../inbox/queries.ts";
import { reviewsQuery } from "../reviews/queries.ts";
import { taskQuery } from "../task/queries.ts";

/** Each task costs two requests, so only the newest are looked at. */
const MAX_TASKS = 4;
const MAX_DRAFTS = 2;
const MAX_ENTERED = 3;
const PER_PAGE = 50;

/** An entry of the inbox makes it stale, as it does with every list of entries. */
export const waitingQuery = queryOptions({
	queryKey: [...inboxKey, "waiting"],
	queryFn: () => findWaiting(queryClient),
	refetchOnMount: "always",
});

async function findWaiting(queries: QueryClient): Promise<readonly Waiting[]> {
	const [deals, own, entered, latest] = await Promise.all([
		queries.fetchQuery({ queryKey: [...dealsKey, "newest"], queryFn: () => readPage(api.listDeals({ limit: PER_PAGE })) }),
		queries.fetchQuery({ queryKey: ["own-tasks", "newest"], queryFn: () => readPage(api.listTasks({ owner: "me", limit: PER_PAGE })) }),
		queries.fetchQuery({ queryKey: ["my-submissions", "newest"], queryFn: () => readPage(api.listSubmissions({ limit: PER_PAGE })) }),
		queries.fetchQuery(latestQuery),
	]);
	const dealt = new Set(deals.data.map(({ task_id }) => task_id));
	const choices = tasksWithChoice(entered.data).slice(0, MAX_ENTERED);
	const [onTasks, tasks] = await Promise.all([
		Promise.all(toLookAt(own.data, dealt).map((task) => findOnTask(queries, task, dealt.has(task.id)))),
		Promise.all(choices.map((id) => queries.fetchQuery(taskQuery(id)))),
	]);
	const drafts = own.data.filter(({ status }) => status === "draft").slice(0, MAX_DRAFTS);
	return [
		...waitingDeals(deals.data),
		...onTasks.flat(),
		...waitingOvertaken(latest),
		...tasks.map(waitingPick).filter((pick) => pick !== null),
		...drafts.flatMap((draft) => waitingOnTask({ ...draft, ...NOTHING, submissions: 0, hasDeal: true })),
	];
}

type OwnTask = Schemas["ListedTask"];

const NOTHING = { unanswered: 0, reviews: 0, hasMoreReviews: false } as const;

/** Published tasks, without those that have ended with a deal or without work. */
function toLookAt(tasks: readonly OwnTask[], dealt: ReadonlySet<string>): readonly OwnTask[] {
	const canWait = ({ id, status, submission_count = 0 }: OwnTask) => {
		if (status === "draft") return false;
		return status !== "closed" || (submission_count > 0 && !dealt.has(id));
	};
	return tasks.filter(canWait).slice(0, MAX_TASKS);
}

async function findOnTask(queries: QueryClient, { id, title, status, submission_count: submissions = 0 }: OwnTask, hasDeal: boolean) {
	const [detail, reviews] = await Promise.all([
		queries.fetchQuery(taskQuery(id)),
		// Only submissions need reviews.
		submissions === 0 ? null : queries.fetchQuery(reviewsQuery(id)),
	]);
	return waitingOnTask({
		...{ id, title, status, submissions, hasDeal },
		unanswered: detail.questions.unanswered,
		reviews: reviews?.data.length ?? 0,
		hasMoreReviews: reviews?.pagination.has_more ?? false,
	});
}
