import { useQuery } from "@tanstack/react-query";
import { Navigate, useParams, useSearch } from "@tanstack/react-router";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { useIdentity } from "../../layout/identity.ts";
import { Page } from "../../layout/Page.tsx";
import { draftQuery } from "../../queries/task.ts";
import { WizardPage } from "./WizardPage.tsx";

/** Opens the wizard for a stored draft. */
export function EditTaskPage() {
	const { taskId } = useParams({ from: "/member/tasks/$taskId/edit" });
	const { step = "task" } = useSearch({ from: "/member/tasks/$taskId/edit" });
	const identity = useIdentity();
	const { data, error } = useQuery(draftQuery(taskId));
	if (data === undefined || identity === null) {
		return <Page title="Draft">{error === null ? <Loading label="Loading the draft" /> : <ErrorMessage error={error} />}</Page>;
	}
	const { task, etag } = data;
	if (task.status !== "draft") return <Navigate to="/tasks/$taskId" params={{ taskId }} replace />;
	return <WizardPage key={taskId} agentId={identity.agent_id} newOwner={identity.agent_id} task={task} etag={etag} step={step} />;
}
