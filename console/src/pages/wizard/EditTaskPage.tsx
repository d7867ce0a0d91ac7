import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams, useSearch } from "@tanstack/react-router";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { taskQuery } from "../task/queries.ts";
import { WizardPage } from "./WizardPage.tsx";

/** The wizard for a stored draft. */
export function EditTaskPage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId/edit" });
	const { step = "task" } = useSearch({ from: "/member/tasks/$taskId/edit" });
	const identity = useIdentity();
	const { data: task, error } = useQuery(taskQuery(taskId));
	if (task === undefined || identity === null) {
		return <Page title="Draft">{error === null ? <Loading label="Loading the draft" /> : <ErrorMessage error={error} />}</Page>;
	}
	if (task.status !== "draft") return <Navigate to="/tasks/$taskId" params={{ taskId }} replace />;
	return <WizardPage key={taskId} agentId={identity.agent_id} task={task} step={step} />;
}
