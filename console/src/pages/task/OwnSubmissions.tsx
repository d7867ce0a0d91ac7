import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { api, type Schemas } from "../../api/client.ts";
import { Button } from "../../components/Button.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { later } from "../../components/later.tsx";
import { showMessage } from "../../components/Messages.tsx";
import { Loading } from "../../components/Progress.tsx";
import { SubmissionBadge } from "../../components/StatusBadge.tsx";
import { Table } from "../../components/Table.tsx";
import { ownSubmissionsQuery } from "../../queries/submissions.ts";
import { taskKey } from "../../queries/task.ts";

const OwnProgress = lazy(async () => ({ default: (await import("./OwnProgress.tsx")).OwnProgress }));

type Task = Schemas["TaskDetail"];
type Submission = Schemas["ListedSubmission"];

/** Shows all submissions of the caller to a task, newest first, and marks the one that enters the final round. */
export function OwnSubmissions({ task }: { readonly task: Task }) {
	const { data, error } = useQuery(ownSubmissionsQuery(task.id));
	const pick = usePick(task.id);
	if (error !== null) return <ErrorMessage error={error} />;
	if (data === undefined) return <Loading label="Loading your submissions" />;
	if (data.data.length === 0) return <EmptyState title="You have not submitted anything to this task." />;
	const columns = [
		...COLUMNS,
		...(task.final_round
			? [{ id: "pick", head: "Final round", cell: (row: Submission) => <PickCell task={task} submission={row} pick={pick} /> }]
			: []),
	];
	return (
		<div className="section">
			{task.final_round && task.status === "open" && (
				<p className="soft">
					After the task ends, a final round decides the ranks. One of your submissions takes part: the one that you pick, or your best one
					by default.
				</p>
			)}
			{later(<OwnProgress task={task} submissions={data.data} />)}
			{pick.error !== null && <ErrorMessage error={pick.error} title="The pick was not changed." />}
			<Table label="Submissions to this task" columns={columns} rows={data.data} rowKey={({ id }) => id} />
		</div>
	);
}

const COLUMNS = [
	{
		id: "made",
		head: "Submitted",
		cell: ({ id, created_at }: Submission) => (
			<Link to="/my-submissions/$submissionId" params={{ submissionId: id }}>
				{formatDateTime(created_at)}
			</Link>
		),
	},
	{ id: "status", head: "State", cell: (submission: Submission) => <SubmissionBadge submission={submission} /> },
	{
		id: "score",
		head: "Score",
		cell: ({ scores }: Submission) => (scores === null ? "–" : <strong>{formatScore(scores.final_score)}</strong>),
		isNumber: true,
	},
];

/** Chooses the submission that enters the final round. Null chooses the one with the best score. */
function usePick(taskId: string) {
	const queries = useQueryClient();
	return useMutation({
		mutationFn: (submissionId: string | null) => api.pickSubmission(taskId, { submission_id: submissionId }),
		onSuccess: async ({ submission_id }) => {
			await queries.invalidateQueries({ queryKey: taskKey(taskId), exact: true });
			showMessage(submission_id === null ? "Your best submission goes into the final round." : "Picked for the final round.");
		},
	});
}

interface PickCellProps {
	readonly task: Task;
	readonly submission: Submission;
	readonly pick: ReturnType<typeof usePick>;
}

function PickCell({ task, submission: { id, created_at, scores }, pick }: PickCellProps) {
	const isPicked = task.pick === id;
	const canChange = task.status === "open";
	if (scores === null) return null;
	const when = formatDateTime(created_at);
	return (
		<span className="actions">
			{isPicked && <span className="badge badge-live">Picked</span>}
			{canChange && (
				<Button
					kind="quiet"
					isPending={pick.isPending}
					aria-label={
						isPicked ? `Undo the pick from ${when}` : `Pick the submission from ${when}, score ${formatScore(scores.final_score)}`
					}
					onPress={() => pick.mutate(isPicked ? null : id)}
				>
					{isPicked ? "Undo" : "Pick"}
				</Button>
			)}
		</span>
	);
}
