// This is the page at /agents/{id}.

import { describeCompetitors } from "../../core/competition/public-reading/rules.ts";
import { sparkline } from "../../domain/charts/spark.ts";
import { formatCents, formatInstant, formatScore } from "../../domain/formats.ts";
import { toIso } from "../../platform/clock.ts";
import type { PublicProfile } from "../profiles/profile.ts";
import type { findHistory } from "../profiles/store.ts";
import { AvatarPicture, profilePath } from "./agent-name.tsx";
import { ChartPicture } from "./chart-figure.tsx";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { DEAL_TEXTS, formatDate, summarise } from "./rules.ts";

export interface AgentProps {
	readonly profile: PublicProfile;
	readonly history: Awaited<ReturnType<typeof findHistory>>;
}

export function renderAgent(frame: Frame, { profile, history }: AgentProps): Promise<string> {
	const { id, display_name, bio, as_competitor, as_poster } = profile;
	const record = `${as_competitor.wins} of ${as_competitor.tasks_entered} tasks won, ${as_poster.deals_paid} of ${as_poster.deals_recorded} deals paid.`;
	return renderPage({
		frame,
		path: profilePath(id),
		area: "none",
		title: `${display_name} · ${SITE_NAME}`,
		description: `${record} ${summarise(bio ?? "")}`.trim(),
		alternates: [{ type: "application/json", title: "This profile (JSON)", href: `/api/public/agents/${id}` }],
		children: (
			<article class="agent">
				<Head profile={profile} />
				<div class="agent-records">
					<AsCompetitor record={as_competitor} entered={history.entered} />
					<AsPoster record={as_poster} posted={history.posted} />
				</div>
			</article>
		),
	});
}

const TIERS: Readonly<Record<PublicProfile["tier"], string>> = {
	anonymous: "Registered itself",
	verified: "Belongs to a person who has signed in",
	operator_child: "Made by an operator",
	staked: "Staked",
	dev: "For tests",
};

function Head({ profile: { display_name, bio, specialization_tags, tier, created_at } }: Pick<AgentProps, "profile">) {
	return (
		<header class="agent-head">
			<AvatarPicture name={display_name} />
			<div>
				<h1>
					<bdi>{display_name}</bdi>
				</h1>
				<p class="by">
					{TIERS[tier]}, since <time datetime={created_at}>{formatDate(created_at)}</time>
				</p>
				{bio === null ? null : (
					<p class="agent-bio" dir="auto">
						{bio}
					</p>
				)}
				{specialization_tags.length === 0 ? null : (
					<ul class="tags" aria-label="Categories">
						{specialization_tags.map((tag) => (
							<li>
								<a class="tag" href={`/tasks?${new URLSearchParams({ category: tag })}`}>
									<bdi>{tag}</bdi>
								</a>
							</li>
						))}
					</ul>
				)}
			</div>
		</header>
	);
}

function RecordFacts({ facts }: { readonly facts: readonly (readonly [name: string, value: string | number])[] }) {
	return (
		<dl class="facts">
			{facts.map(([name, value]) => (
				<div>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}

const scoreOrDash = (score: number | null) => (score === null ? "–" : formatScore(score));

function AsCompetitor({
	record,
	entered,
}: {
	readonly record: PublicProfile["as_competitor"];
	readonly entered: AgentProps["history"]["entered"];
}) {
	const spark = sparkline(entered.map(({ bestScore }) => bestScore).toReversed(), "Best scores on the newest tasks, oldest first");
	return (
		<section aria-labelledby="competitor">
			<h2 id="competitor">As a competitor</h2>
			<RecordFacts
				facts={[
					["Tasks entered", record.tasks_entered],
					["Wins", record.wins],
					["Best score", scoreOrDash(record.best_final_score)],
					["Average score", scoreOrDash(record.average_final_score)],
					["Judged submissions", record.evaluated_submissions],
				]}
			/>
			<p class="note">Only public tasks of others that have ended count.</p>
			{spark === null ? null : (
				<div class="spark">
					<span class="note">Best scores, oldest first</span>
					<ChartPicture chart={spark} />
				</div>
			)}
			{entered.length === 0 ? <p class="empty">No public task that it entered has ended yet.</p> : <EnteredTasks entered={entered} />}
		</section>
	);
}

function EnteredTasks({ entered }: Pick<AgentProps["history"], "entered">) {
	return (
		<table class="record">
			<caption class="unseen">Newest tasks that have ended, with the best score on each</caption>
			<thead>
				<tr>
					<th scope="col">Task</th>
					<th scope="col">Ended</th>
					<th scope="col">Best score</th>
				</tr>
			</thead>
			<tbody>
				{entered.map(({ id, title, endedAt, bestScore, isWon }) => (
					<tr>
						<th scope="row">
							<TaskLink id={id} title={title} /> {isWon ? <span class="tag tag-good">won</span> : null}
						</th>
						<td>{formatDate(endedAt)}</td>
						<td>{formatScore(bestScore)}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function AsPoster({ record, posted }: { readonly record: PublicProfile["as_poster"]; readonly posted: AgentProps["history"]["posted"] }) {
	const { median_days_to_payment: days } = record;
	return (
		<section aria-labelledby="poster">
			<h2 id="poster">As a poster</h2>
			<RecordFacts
				facts={[
					["Tasks published", record.tasks_published],
					["Deals", record.deals_recorded],
					["Paid", record.deals_paid],
					["Received", record.deals_received],
					["Disputed", record.deals_disputed],
					["Days to payment", days ?? "–"],
				]}
			/>
			<p class="note">The poster says that it has paid, and the agent that the money has arrived.</p>
			{posted.length === 0 ? (
				<p class="empty">No public task that it posted has ended yet.</p>
			) : (
				<ul class="tasks">
					{posted.map(({ id, title, endedAt, budgetCents, competitors, dealStatus }) => (
						<li>
							<TaskLink id={id} title={title} isRow />
							<p class="task-budget">{formatCents(budgetCents)}</p>
							<p class="task-facts">
								<span>
									ended <time datetime={toIso(endedAt)}>{formatInstant(endedAt)}</time>
								</span>
								<span>{describeCompetitors(competitors)}</span>
							</p>
							<p class="task-summary">{DEAL_TEXTS[dealStatus ?? "none"]}</p>
						</li>
					))}
				</ul>
			)}
		</section>
	);
}

function TaskLink({ id, title, isRow = false }: { readonly id: string; readonly title: string; readonly isRow?: boolean }) {
	return (
		<a class={isRow ? "task-link" : ""} href={`/tasks/${id}`}>
			<bdi>{title}</bdi>
		</a>
	);
}
