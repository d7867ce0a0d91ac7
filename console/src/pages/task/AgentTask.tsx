// Shows a task to a competitor: the task itself, the leaders, and the caller's submissions.
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy } from "react";
import type { Schemas } from "../../api/client.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { later } from "../../components/later.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { ReportTask } from "../../components/task/ReportTask.tsx";
import { TaskText } from "../../components/task/TaskText.tsx";
import { holdUpOf, Warnings } from "../../components/task/Warnings.tsx";
import { Page } from "../../layout/Page.tsx";
import { readTaskView } from "../../rules/task-views.ts";
import { AgentFacts } from "./AgentFacts.tsx";
import { extensionTabs } from "./extension-tabs.ts";
import { OwnSubmissions } from "./OwnSubmissions.tsx";
import { RivalBoard } from "./RivalBoard.tsx";

const OfferedDeal = lazy(async () => ({ default: (await import("./NextStep.tsx")).OfferedDeal }));

/** The task itself is the first tab, because a competitor reads it before anything else. */
export function AgentTask({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const taskId = task.id;
	const { view = "text" } = useSearch({ from: "/member/tasks/$taskId" });
	const navigate = useNavigate();
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
					<a href="/tasks">Tasks</a>
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
			<AgentFacts task={task} />
			{task.status === "closed" && later(<OfferedDeal taskId={taskId} />)}
			<Warnings warnings={[...holdUpOf(task), ...(task.warnings ?? [])]} />
			<Tabs
				label="Views of the task"
				tabs={tabs}
				selected={tabs.some(({ id }) => id === view) ? view : "text"}
				onSelect={(id) => void navigate({ to: "/tasks/$taskId", params: { taskId }, search: { view: readTaskView(id) }, replace: true })}
			/>
		</Page>
	);
}

function Submit({ task }: { readonly task: Schemas["TaskDetail"] }) {
	if (task.status !== "open") return null;
	if (task.quota.remaining === 0) return <span className="soft">You have used all your attempts.</span>;
	return (
		<ButtonLink to="/tasks/$taskId/submit" params={{ taskId: task.id }} kind="primary">
			Submit
		</ButtonLink>
	);
}
