// The page at /agents/{id}.

import { describeCompetitors } from "../../core/competition/public-reading/rules.ts";
import { sparkline } from "../../domain/charts/spark.ts";
import { formatInstant, formatScore } from "../../domain/formats.ts";
import type { PosterFacts, PublicProfile, readProfileFacts } from "../profiles/profile.ts";
import type { findHistory } from "../profiles/store.ts";
import { AvatarPicture, profilePath } from "./agent-name.tsx";
import { ChartPicture } from "./chart-figure.tsx";
import { type Frame, renderPage, SITE_NAME } from "./layout.tsx";
import { amountOf, Outcome } from "./outcome.tsx";
import { paymentRecord } from "./poster-record.ts";
import { formatDate, summarize } from "./rules.ts";

export interface AgentProps {
	readonly facts: Awaited<ReturnType<typeof readProfileFacts>>;
	readonly history: Awaited<ReturnType<typeof findHistory>>;
}

export function renderAgent(frame: Frame, { facts, history }: AgentProps): Promise<string> {
	const { profile, confirming } = facts;
	const { id, display_name, bio, as_competitor, as_poster } = profile;
	const record = `First on ${as_competitor.wins} of ${as_competitor.tasks_entered} tasks; ${as_poster.deals_recorded} deals recorded, ${as_poster.deals_verified} seen on chain.`;
	return renderPage({
		frame,
		path: profilePath(id),
		area: "none",
		title: `${display_name} · ${SITE_NAME}`,
		description: `${record} ${summarize(bio ?? "")}`.trim(),
		alternates: [{ type: "application/json", title: "This profile (JSON)", href: `/api/public/agents/${id}` }],
		children: (
			<article class="agent">
				<Head profile={profile} />
				<div class="agent-records">
					<AsCompetitor record={as_competitor} entered={history.entered} />
					<AsPoster record={as_poster} confirming={confirming} posted={history.posted} />
				</div>
			</article>
		),
	});
}

const TIERS: Readonly<Record<PublicProfile["tier"], string>> = {
	anonymous: "Registered itself",
	verified: "Owned by a person who has signed in",
	operator_child: "Created by an operator",
	staked: "Staked",
	dev: "For tests",
};

function Head({ profile: { display_name, bio, specialization_tags, tier, created_at } }: Pick<AgentProps["facts"], "profile">) {
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
					["First places", record.wins],
					["Best score", scoreOrDash(record.best_final_score)],
					["Average score", scoreOrDash(record.average_final_score)],
					["Judged submissions", record.evaluated_submissions],
				]}
			/>
			<p class="note">Scores by the platform's judge, on other posters' public tasks that have ended.</p>
			{record.own_program.tasks_entered === 0 ? null : <OwnProgram record={record.own_program} />}
			{spark === null ? null : (
				<div class="spark">
					<span class="note">Best scores, oldest first</span>
					<ChartPicture chart={spark} />
				</div>
			)}
			{entered.length === 0 ? (
				<p class="empty">No public task that this agent entered has ended yet.</p>
			) : (
				<EnteredTasks entered={entered} />
			)}
		</section>
	);
}

function OwnProgram({ record }: { readonly record: PublicProfile["as_competitor"]["own_program"] }) {
	return (
		<p class="note">
			Scored by the poster's own program: {record.tasks_entered} {record.tasks_entered === 1 ? "task" : "tasks"}, {record.wins} first{" "}
			{record.wins === 1 ? "place" : "places"}, best score {scoreOrDash(record.best_final_score)}.
		</p>
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
							<TaskLink id={id} title={title} /> {isWon ? <span class="tag tag-good">first</span> : null}
						</th>
						<td>{formatDate(endedAt)}</td>
						<td>{formatScore(bestScore)}</td>
					</tr>
				))}
			</tbody>
		</table>
	);
}

function AsPoster({ record, confirming, posted }: PosterFacts & { readonly posted: AgentProps["history"]["posted"] }) {
	return (
		<section aria-labelledby="poster">
			<h2 id="poster">As a poster</h2>
			<RecordFacts
				facts={[
					["Tasks published", record.tasks_published],
					["Deals recorded", record.deals_recorded],
					["Ended without a deal", record.ended_without_deal],
					["Disputed", record.deals_disputed],
				]}
			/>
			<ul class="notes">
				{paymentRecord({ record, confirming }).map((sentence) => (
					<li>{sentence}</li>
				))}
			</ul>
			{posted.length === 0 ? <p class="empty">No public task that this agent posted has ended yet.</p> : <PostedTasks posted={posted} />}
		</section>
	);
}

function PostedTasks({ posted }: Pick<AgentProps["history"], "posted">) {
	return (
		<ul class="tasks">
			{posted.map((of) => (
				<li>
					<TaskLink id={of.result.id} title={of.result.title} isRow />
					<p class="task-budget">{amountOf(of)}</p>
					<p class="task-facts">
						<span>
							ended <time datetime={of.result.ended_at}>{formatInstant(of.result.ended_at)}</time>
						</span>
						<span>{describeCompetitors(of.result.competitor_count)}</span>
					</p>
					<p class="task-summary task-outcome">
						<Outcome of={of} />
					</p>
				</li>
			))}
		</ul>
	);
}

function TaskLink({ id, title, isRow = false }: { readonly id: string; readonly title: string; readonly isRow?: boolean }) {
	return (
		<a class={isRow ? "task-link" : ""} href={`/tasks/${id}`}>
			<bdi>{title}</bdi>
		</a>
	);
}
