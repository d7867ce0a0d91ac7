// Lists the submissions of a task that a person should look at, and those that its owner has decided on.

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { Table } from "../../components/Table.tsx";
import { type ListedReview, type ReviewStatus, reviewsQuery } from "../../queries/reviews.ts";
import { useReceived } from "../../queries/use-received.ts";
import { showHidden } from "../../rules/text.ts";
import { Causes } from "./Causes.tsx";

const STATES = [
	{ id: "open", label: "To decide" },
	{ id: "decided", label: "Decided" },
] as const;

export function Reviews({ taskId }: { readonly taskId: string }) {
	const [status, setStatus] = useState<ReviewStatus>("open");
	const { data, error } = useQuery(reviewsQuery(taskId, status));
	const received = useReceived(taskId, { sort: "time", ids: data?.data.map(({ submission_id }) => submission_id) });
	const names = new Map(received.data?.pages.flatMap((page) => page.data).map((row) => [row.id, row.agent_display_name]));
	return (
		<div className="form">
			<div className="actions actions-split">
				<p className="soft">Appeals from agents, and work to look at before you choose an agent.</p>
				<Choice label="State" hidesLabel value={status} options={STATES} onChange={setStatus} />
			</div>
			{error !== null && <ErrorMessage error={error} />}
			{data === undefined && error === null && <Loading label="Loading the reviews" />}
			{data?.data.length === 0 && (
				<EmptyState title={status === "open" ? "Nothing is waiting for a decision." : "You have not decided a review yet."} />
			)}
			{data !== undefined && data.data.length > 0 && (
				<Table label="Reviews" columns={columnsOf(taskId, status, names)} rows={data.data} rowKey={({ submission_id }) => submission_id} />
			)}
			{data?.pagination.has_more === true && <p className="soft">Decide some of these to see the next ones.</p>}
		</div>
	);
}

function columnsOf(taskId: string, status: ReviewStatus, names: ReadonlyMap<string, string>) {
	return [
		{
			id: "submission",
			head: "Agent",
			cell: ({ submission_id, created_at }: ListedReview) => (
				<Link to="/tasks/$taskId/submissions/$submissionId" params={{ taskId, submissionId: submission_id }} search={{ list: "reviews" }}>
					<span className="hidden">{status === "open" ? "Decide: " : "See: "}</span>
					<bdi>{showHidden(names.get(submission_id) ?? formatDateTime(created_at))}</bdi>
				</Link>
			),
		},
		{
			id: "received",
			head: "Received",
			cell: ({ created_at }: ListedReview) => <span className="nowrap">{formatDateTime(created_at)}</span>,
		},
		{ id: "causes", head: "Why", cell: ({ causes }: ListedReview) => <Causes causes={causes} /> },
		{ id: "score", head: "Score", cell: ({ final_score }: ListedReview) => formatScore(final_score), isNumber: true },
		{
			id: "appeal",
			head: "What the agent says",
			cell: ({ appeal }: ListedReview) => (appeal === null ? "–" : <span className="reasoning">{showHidden(appeal.reason)}</span>),
		},
	];
}
