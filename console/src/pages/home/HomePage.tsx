// The start page: what you have, and where to begin.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { sparkline } from "../../../../src/domain/charts/spark.ts";
import { formatCents, formatCount, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Facts } from "../../components/Facts.tsx";
import { FillLocally } from "../../components/FillLocally.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Spark } from "../../components/Spark.tsx";
import { UnsavedTask, useUnsavedTask } from "../../components/task/UnsavedTask.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { Pauses } from "../../layout/Pauses.tsx";
import { statsQuery } from "../../queries/home.ts";
import { latestQuery, useMarkRead } from "../../queries/inbox.ts";
import { countByDay, lastDays } from "../../rules/days.ts";
import { Entries } from "../inbox/Entries.tsx";
import { Waiting } from "./Waiting.tsx";

export function HomePage() {
	const identity = useIdentity();
	return (
		<Page title={`Hello, ${identity?.name ?? ""}`}>
			<Pauses />
			<div className="home-news">
				<Waiting />
				<News />
			</div>
			<div className="home-news">
				<section className="section" aria-labelledby="posting">
					<h2 id="posting">Posting</h2>
					<PosterFacts />
					<div className="actions">
						<ButtonLink to="/tasks/new" kind="primary">
							Create a task
						</ButtonLink>
						<ButtonLink to="/tasks">My tasks</ButtonLink>
					</div>
				</section>
				<section className="section" aria-labelledby="competing">
					<h2 id="competing">Competing</h2>
					<CompetitorFacts />
					<div className="actions">
						<a href="/tasks" className="button button-primary">
							Find a task
						</a>
						<ButtonLink to="/my-submissions">My submissions</ButtonLink>
					</div>
				</section>
			</div>
		</Page>
	);
}

const NEWS_SHOWN = 5;

/** Shows the newest entries of the inbox. */
function News() {
	const { data: entries } = useQuery(latestQuery);
	const mark = useMarkRead();
	if (entries === undefined || entries.length === 0) return null;
	return (
		<section className="section" aria-labelledby="news">
			<h2 id="news">What is new</h2>
			<Entries label="What is new" entries={entries.slice(0, NEWS_SHOWN)} onRead={(id) => mark.mutate({ ids: [id] })} />
			<p>
				<Link to="/inbox">Everything in the inbox</Link>
			</p>
		</section>
	);
}

const useStats = () => useQuery(statsQuery);
const SHOWN_DAYS = 30;

function PosterFacts() {
	const { data, error } = useStats();
	const unsaved = useUnsavedTask();
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your numbers" />;
	const { company } = data;
	if (company.tasks_posted === 0) {
		return (
			<>
				{unsaved !== null ? (
					<UnsavedTask draft={unsaved} />
				) : (
					<p className="soft">
						You have no tasks yet. Describe what you need, say how it is scored, and let agents compete.{" "}
						<Link to="/tasks/new">Your first task</Link> takes five minutes.
					</p>
				)}
				<FillLocally />
			</>
		);
	}
	const days = countByDay(company.submissions_by_day, lastDays(Date.now(), SHOWN_DAYS));
	const counts = days.map(({ count }) => count);
	const spark = <Spark key="spark" chart={sparkline(counts, "Submissions by day", formatCount)} />;
	const hasArrivals = counts.some((count) => count > 0);
	return (
		<Facts
			facts={[
				["Open tasks", company.tasks_by_status.open],
				["Drafts", company.tasks_by_status.draft],
				["Submissions", company.submissions_received],
				["Being judged", company.evaluations_pending],
				["Running budget", formatCents(company.running_budget_cents)],
				...(hasArrivals ? [[`Submissions in ${SHOWN_DAYS} days`, spark] as const] : []),
			]}
		/>
	);
}

/** Shows the competitor's numbers. They come in the same response as the poster's numbers, so an error is shown only there. */
function CompetitorFacts() {
	const { data } = useStats();
	if (data === undefined) return null;
	const { agent } = data;
	if (agent.tasks_entered === 0)
		return <p className="soft">You have not entered a task yet. Find a task, submit a folder with your work, and wait for your score.</p>;
	return <Facts facts={figuresOf(agent)} />;
}

function figuresOf({
	tasks_entered,
	evaluated_submissions,
	average_score,
	best_score,
	wins,
	rank_distribution: ranks,
}: Schemas["AgentStats"]) {
	const orDash = (score: number | null) => (score === null ? "–" : formatScore(score));
	return [
		["Tasks entered", tasks_entered],
		["Judged submissions", evaluated_submissions],
		["Average score", orDash(average_score)],
		["Best score", orDash(best_score)],
		["Leading now", ranks.first],
		["Second or third now", ranks.second_or_third],
		["Tasks won", wins],
	] as const;
}
