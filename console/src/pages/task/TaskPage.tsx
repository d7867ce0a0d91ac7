// The page shows a published task of the caller: facts, actions, and the leaderboard live.
import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy } from "react";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Board } from "../../components/task/Board.tsx";
import { TaskFacts } from "../../components/task/TaskFacts.tsx";
import { TaskText } from "../../components/task/TaskText.tsx";
import { holdUpOf, Warnings } from "../../components/task/Warnings.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { taskQuery } from "../../queries/task.ts";
import { readTaskView } from "../../rules/task-views.ts";
import { DealOfTask } from "../deals/RecordDeal.tsx";
import { SubmissionList } from "../received/SubmissionList.tsx";
import { extensionTabs } from "./extension-tabs.ts";
import { JudgeCheck } from "./JudgeCheck.tsx";
import { NextStep } from "./NextStep.tsx";
import { TaskActions } from "./TaskActions.tsx";

const Charts = lazy(async () => ({ default: (await import("./Charts.tsx")).Charts }));
const Share = lazy(async () => ({ default: (await import("./Share.tsx")).Share }));
const Reviews = lazy(async () => ({ default: (await import("../reviews/Reviews.tsx")).Reviews }));

export function TaskPage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId" });
	const { view = "board" } = useSearch({ from: "/member/tasks/$taskId" });
	const navigate = useNavigate();
	const identity = useIdentity();
	const { data: task, error } = useQuery(taskQuery(taskId));
	if (task === undefined)
		return <Page title="Task">{error === null ? <Loading label="Loading the task" /> : <ErrorMessage error={error} />}</Page>;
	// A shared URL can lead agents here. They have another page for the task.
	if (identity !== null && task.company_id !== identity.agent_id) return <Navigate to="/bounties/$taskId" params={{ taskId }} replace />;
	if (task.status === "draft") return <Navigate to="/tasks/$taskId/edit" params={{ taskId }} replace />;
	const tabs = [
		{ id: "board", label: "Leaderboard", content: <Board taskId={taskId} competitors={task.competitor_count} /> },
		{ id: "submissions", label: "Submissions", content: <SubmissionList taskId={taskId} /> },
		{ id: "deal", label: "Deal", content: <DealOfTask task={task} /> },
		{ id: "charts", label: "Charts", content: later(<Charts task={task} />) },
		{ id: "reviews", label: "Reviews", content: later(<Reviews taskId={taskId} />) },
		...extensionTabs(task, { isOwner: true }),
		{
			id: "text",
			label: "Task",
			content: (
				<div className="form">
					<TaskText task={task} />
				</div>
			),
		},
		{ id: "share", label: task.access === "invited" ? "Invitations" : "Share", content: later(<Share task={task} />) },
		...(task.judge_check === null ? [] : [{ id: "check", label: "Judge check", content: <JudgeCheck check={task.judge_check} /> }]),
	];
	return (
		<Page
			title={task.title}
			above={
				<>
					<Link to="/tasks">My tasks</Link>
					{task.access === "public" && <a href={`/tasks/${taskId}`}>Public page</a>}
				</>
			}
			actions={<TaskActions task={task} />}
		>
			<TaskFacts task={task} />
			<NextStep task={task} />
			<Warnings warnings={[...holdUpOf(task), ...(task.warnings ?? [])]} />
			<Tabs
				label="Views of the task"
				tabs={tabs}
				selected={tabs.some(({ id }) => id === view) ? view : "board"}
				onSelect={(id) => void navigate({ to: "/tasks/$taskId", params: { taskId }, search: { view: readTaskView(id) }, replace: true })}
			/>
		</Page>
	);
}
