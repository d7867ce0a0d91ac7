// Shows a task to a competitor: the task itself, the leaders, and the caller's submissions.
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy } from "react";
import { hasStatus, type Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { ReportTask } from "../../components/task/ReportTask.tsx";
import { TaskText } from "../../components/task/TaskText.tsx";
import { holdUpOf, Warnings } from "../../components/task/Warnings.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { dealOfTaskQuery } from "../../queries/deals.ts";
import { taskQuery } from "../../queries/task.ts";
import { readBountyView } from "../../rules/task-views.ts";
import { extensionTabs } from "../task/extension-tabs.ts";
import { DealNext } from "../task/NextStep.tsx";
import { BountyFacts } from "./BountyFacts.tsx";
import { OwnSubmissions } from "./OwnSubmissions.tsx";
import { RivalBoard } from "./RivalBoard.tsx";

const Join = lazy(async () => ({ default: (await import("./Join.tsx")).Join }));

export function BountyPage() {
	const { taskId } = useParams({ from: "/member/bounties/$taskId" });
	const { view = "text" } = useSearch({ from: "/member/bounties/$taskId" });
	const navigate = useNavigate();
	const identity = useIdentity();
	const { data: task, error } = useQuery(taskQuery(taskId));
	if (task === undefined && hasStatus(error, 404))
		return (
			<Page title="Task" width="narrow">
				{later(<Join taskId={taskId} />)}
			</Page>
		);
	if (task === undefined)
		return <Page title="Task">{error === null ? <Loading label="Loading the task" /> : <ErrorMessage error={error} />}</Page>;
	if (task.company_id === identity?.agent_id) return <Navigate to="/tasks/$taskId" params={{ taskId }} replace />;
	const tabs = [
		{
			id: "text",
			label: "Task",
			content: (
				<div className="form">
					<TaskText task={task} />
				</div>
			),
		},
		{ id: "board", label: "Leaderboard", content: <RivalBoard taskId={taskId} /> },
		...extensionTabs(task, { isOwner: false }),
		{ id: "own", label: "My submissions", content: <OwnSubmissions task={task} /> },
	];
	return (
		<Page
			title={task.title}
			above={
				<>
					<Link to="/bounties">Find a task</Link>
					{task.access === "public" && <a href={`/tasks/${taskId}`}>Public page</a>}
				</>
			}
			actions={
				<>
					<ReportTask taskId={taskId} />
					<Submit task={task} />
				</>
			}
		>
			<BountyFacts task={task} />
			{task.status === "closed" && <OfferedDeal taskId={taskId} />}
			<Warnings warnings={[...holdUpOf(task), ...(task.warnings ?? [])]} />
			<Tabs
				label="Views of the task"
				tabs={tabs}
				selected={view}
				onSelect={(id) =>
					void navigate({ to: "/bounties/$taskId", params: { taskId }, search: { view: readBountyView(id) }, replace: true })
				}
			/>
		</Page>
	);
}

/** Leads to the deal that the poster has recorded with the reader. */
function OfferedDeal({ taskId }: { readonly taskId: string }) {
	const { data: deal } = useQuery(dealOfTaskQuery(taskId, "agent"));
	return deal === undefined || deal === null ? null : <DealNext deal={deal} reader="agent" />;
}

function Submit({ task }: { readonly task: Schemas["TaskDetail"] }) {
	if (task.status !== "open") return null;
	if (task.quota.remaining === 0) return <span className="soft">You have used all your attempts.</span>;
	return (
		<ButtonLink to="/bounties/$taskId/submit" params={{ taskId: task.id }} kind="primary">
			Submit
		</ButtonLink>
	);
}
