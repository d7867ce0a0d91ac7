// A task has one URL. Its poster and its competitors see different pages there.
import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams } from "@tanstack/react-router";
import { lazy } from "react";
import { hasStatus } from "../../api/client.ts";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { taskQuery } from "../../queries/task.ts";

/** The router loads this page as one chunk. Splitting it again would cost another request. */
const PosterTask = lazy(async () => ({ default: (await import("./PosterTask.tsx")).PosterTask }));
const AgentTask = lazy(async () => ({ default: (await import("./AgentTask.tsx")).AgentTask }));
const Join = lazy(async () => ({ default: (await import("./Join.tsx")).Join }));

export function TaskPage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId" });
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
	if (task.company_id !== identity?.agent_id) return later(<AgentTask task={task} />);
	if (task.status === "draft") return <Navigate to="/tasks/$taskId/edit" params={{ taskId }} replace />;
	return later(<PosterTask task={task} />);
}
