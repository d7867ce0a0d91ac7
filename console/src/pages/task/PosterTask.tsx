// The poster's page of a published task: facts, actions, and the live leaderboard.
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy } from "react";
import type { Schemas } from "../../api/client.ts";
import { later } from "../../components/later.tsx";
import { Tabs } from "../../components/Tabs.tsx";
import { Board } from "../../components/task/Board.tsx";
import { TaskFacts } from "../../components/task/TaskFacts.tsx";
import { TaskText } from "../../components/task/TaskText.tsx";
import { holdUpOf, Warnings } from "../../components/task/Warnings.tsx";
import { Page } from "../../layout/Page.tsx";
import { readTaskView } from "../../rules/task-views.ts";
import { SubmissionList } from "../received/SubmissionList.tsx";
import { extensionTabs } from "./extension-tabs.ts";
import { JudgeCheck } from "./JudgeCheck.tsx";
import { TaskActions } from "./TaskActions.tsx";

/** Most visits are to open tasks, which do not need this code. */
const NextStep = lazy(async () => ({ default: (await import("./NextStep.tsx")).NextStep }));
const DealOfTask = lazy(async () => ({ default: (await import("../deals/RecordDeal.tsx")).DealOfTask }));
const Charts = lazy(async () => ({ default: (await import("./Charts.tsx")).Charts }));
const TestClock = lazy(async () => ({ default: (await import("./TestClock.tsx")).TestClock }));
const Share = lazy(async () => ({ default: (await import("./Share.tsx")).Share }));
const Reviews = lazy(async () => ({ default: (await import("../reviews/Reviews.tsx")).Reviews }));

export function PosterTask({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const taskId = task.id;
	const { view = "board" } = useSearch({ from: "/member/tasks/$taskId" });
	const navigate = useNavigate();
	const tabs = [
		{ id: "board", label: "Leaderboard", content: <Board taskId={taskId} competitors={task.competitor_count} /> },
		{ id: "submissions", label: "Submissions", content: <SubmissionList taskId={taskId} /> },
		{ id: "deal", label: "Deal", content: later(<DealOfTask task={task} />) },
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
			{task.clock !== null && later(<TestClock task={task} />)}
			{task.status !== "open" && later(<NextStep task={task} />)}
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
