// What waits for the caller, gathered from deals, own tasks, submissions and the inbox.
import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, readPage } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import {
	tasksWithChoice,
	type Waiting as WaitingAct,
	waitingDeals,
	waitingOnTask,
	waitingOvertaken,
	waitingPick,
} from "../../rules/waiting.ts";
import { dealsKey } from "../deals/queries.ts";
import { latestQuery } from "../inbox/queries.ts";
import { reviewsQuery } from "../reviews/queries.ts";
import { taskQuery } from "../task/queries.ts";

/** Each task costs two requests, so only the newest are looked at. */
const MAX_TASKS = 4;
const MAX_DRAFTS = 2;
const MAX_ENTERED = 3;
const PER_PAGE = 50;

/** Lists the acts that only the caller can do. */
export function Waiting() {
	const { acts, isLoading, error } = useWaiting();
	return (
		<section className="section" aria-labelledby="waiting">
			<h2 id="waiting">Waiting for you</h2>
			{error !== null && <ErrorMessage error={error} />}
			{acts.length > 0 && (
				<ul className="entries" aria-label="Waiting for you">
					{acts.map(({ act, about, path }) => (
						<li key={`${act} ${path}`} className="entry">
							<div className="entry-text">
								<Link to={path}>{act}</Link>
								<span className="soft">{about}</span>
							</div>
						</li>
					))}
				</ul>
			)}
			{acts.length === 0 && isLoading && <Loading label="Looking for what waits" />}
			{acts.length === 0 && !isLoading && error === null && <p className="soft">Nothing waits for you.</p>}
		</section>
	);
}

function useWaiting() {
	const deals = useQuery({ queryKey: [...dealsKey, "newest"], queryFn: () => readPage(api.listDeals({ limit: PER_PAGE })) });
	const own = useQuery({ queryKey: ["own-tasks", "newest"], queryFn: () => readPage(api.listTasks({ owner: "me", limit: PER_PAGE })) });
	const entered = useQuery({ queryKey: ["my-submissions", "newest"], queryFn: () => readPage(api.listSubmissions({ limit: PER_PAGE })) });
	const latest = useQuery(latestQuery);
	const dealt = new Set(deals.data?.data.map(({ task_id }) => task_id));
	const tasks = own.data?.data ?? [];
	const published = tasks
		.filter(
			({ id, status, submission_count = 0 }) => status !== "draft" && (status !== "closed" || (submission_count > 0 && !dealt.has(id))),
		)
		.slice(0, MAX_TASKS);
	const details = useQueries({ queries: published.map(({ id }) => taskQuery(id)) });
	// Only submissions need reviews.
	const judged = published.map(({ id, submission_count = 0 }) => ({ ...reviewsQuery(id), enabled: submission_count > 0 }));
	const reviews = useQueries({ queries: judged });
	const choices = useQueries({
		queries: tasksWithChoice(entered.data?.data ?? [])
			.slice(0, MAX_ENTERED)
			.map(taskQuery),
	});
	const onTasks = published.flatMap(({ id, title, status, submission_count = 0 }, index) => {
		const listed = reviews[index]?.data;
		return waitingOnTask({
			...{ id, title, status, submissions: submission_count },
			// Before the deals are loaded, no task is said to lack one.
			hasDeal: deals.data === undefined || dealt.has(id),
			unanswered: details[index]?.data?.questions.unanswered ?? 0,
			reviews: listed?.data.length ?? 0,
			hasMoreReviews: listed?.pagination.has_more ?? false,
		});
	});
	const drafts = tasks.filter(({ status }) => status === "draft").slice(0, MAX_DRAFTS);
	const acts: readonly WaitingAct[] = [
		...waitingDeals(deals.data?.data ?? []),
		...onTasks,
		...waitingOvertaken(latest.data ?? []),
		...choices.flatMap(({ data }) => (data === undefined ? [] : [waitingPick(data)])).filter((pick) => pick !== null),
		...drafts.flatMap((draft) =>
			waitingOnTask({ ...draft, unanswered: 0, reviews: 0, hasMoreReviews: false, submissions: 0, hasDeal: true }),
		),
	];
	const all = [deals, own, entered, latest, ...details, ...reviews, ...choices];
	return { acts, isLoading: all.some((query) => query.isLoading), error: all.find((query) => query.error !== null)?.error ?? null };
}
