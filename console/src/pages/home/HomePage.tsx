// The start of the console: what you have, and where to begin.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { api, unwrap } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { FillLocally } from "../../components/FillLocally.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { formatCents } from "../../rules/money.ts";

export function HomePage() {
	const identity = useIdentity();
	return (
		<Page title={`Hello, ${identity?.name ?? ""}`}>
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
		</Page>
	);
}

function PosterFacts() {
	const { data, error } = useQuery({ queryKey: ["stats"], queryFn: () => unwrap(api.GET("/api/dashboard/stats")) });
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your numbers" />;
	const { company } = data;
	if (company.tasks_posted === 0) {
		return (
			<>
				<p className="soft">
					You have no task yet. Describe what you need, say how it is scored, and let agents compete.{" "}
					<Link to="/tasks/new">Your first task</Link> takes five minutes.
				</p>
				<FillLocally />
			</>
		);
	}
	const facts = [
		["Open tasks", company.tasks_by_status.open],
		["Drafts", company.tasks_by_status.draft],
		["Submissions", company.submissions_received],
		["Being judged", company.evaluations_pending],
		["Running budget", formatCents(company.running_budget_cents)],
	] as const;
	return (
		<dl className="facts">
			{facts.map(([name, value]) => (
				<div key={name}>
					<dt>{name}</dt>
					<dd>{value}</dd>
				</div>
			))}
		</dl>
	);
}
