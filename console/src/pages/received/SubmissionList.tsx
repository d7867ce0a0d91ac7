import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { formatScore } from "../../components/Scores.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { StatusBadge } from "../../components/StatusBadge.tsx";
import { Table } from "../../components/Table.tsx";
import { togglePair } from "../../rules/compare.ts";
import { shortlistOf } from "../../rules/review.ts";
import { formatDateTime } from "../../rules/time.ts";
import { Export } from "./Export.tsx";
import { listReceived, type Received, receivedKey } from "./queries.ts";
import { SimilarWork } from "./SimilarWork.tsx";
import { useReview } from "./use-review.ts";

const STATES = [
	{ id: "all", label: "All states" },
	{ id: "shortlist", label: "My shortlist" },
	{ id: "completed", label: "Judged" },
	{ id: "running", label: "Being judged" },
	{ id: "registered", label: "Waiting for files" },
	{ id: "evaluation_failed", label: "Could not be judged" },
	{ id: "failed", label: "Rejected" },
] as const;
type State = (typeof STATES)[number]["id"];

const SORTS = [
	{ id: "score", label: "Best score first" },
	{ id: "time", label: "Newest first" },
] as const;
type Sort = (typeof SORTS)[number]["id"];

const PER_PAGE = 50;

function useReceived(taskId: string, state: State, sort: Sort) {
	return useInfiniteQuery({
		queryKey: [...receivedKey(taskId), state, sort],
		initialPageParam: "",
		queryFn: ({ pageParam }) => {
			const status = state === "all" || state === "shortlist" ? {} : { status: state };
			const cursor = pageParam === "" ? {} : { cursor: pageParam };
			return listReceived(taskId, { sort, limit: PER_PAGE, ...status, ...cursor });
		},
		getNextPageParam: ({ pagination }) => pagination.next_cursor,
	});
}

/** Lists the submissions of the task: filtered, sorted, and two of them chosen to compare. */
export function SubmissionList({ taskId }: { readonly taskId: string }) {
	const [state, setState] = useState<State>("all");
	const [sort, setSort] = useState<Sort>("score");
	const [chosen, setChosen] = useState<readonly string[]>([]);
	const [left, right] = chosen;
	return (
		<div className="form">
			<div className="actions actions-split">
				<div className="actions">
					<Choice label="State" hidesLabel value={state} options={STATES} onChange={setState} />
					<Choice label="Order" hidesLabel value={sort} options={SORTS} onChange={setSort} />
				</div>
				<div className="actions">
					{left !== undefined && right !== undefined && (
						<ButtonLink to="/tasks/$taskId/compare" params={{ taskId }} search={{ left, right }} kind="primary">
							Compare the two
						</ButtonLink>
					)}
					<Export taskId={taskId} />
				</div>
			</div>
			<List taskId={taskId} state={state} sort={sort} chosen={chosen} onChoose={(id) => setChosen(togglePair(chosen, id))} />
			<SimilarWork taskId={taskId} />
		</div>
	);
}

interface ListProps {
	readonly taskId: string;
	readonly state: State;
	readonly sort: Sort;
	readonly chosen: readonly string[];
	readonly onChoose: (id: string) => void;
}

function List({ taskId, state, sort, chosen, onChoose }: ListProps) {
	const list = useReceived(taskId, state, sort);
	const { data, error } = list;
	const { review, error: reviewError } = useReview(taskId);
	if (data === undefined) return error === null ? <Loading label="Loading the submissions" /> : <ErrorMessage error={error} />;
	const shortlist = review === null ? new Set<string>() : shortlistOf(review);
	const all = data.pages.flatMap((page) => page.data);
	const rows = state === "shortlist" ? all.filter(({ id }) => shortlist.has(id)) : all;
	return (
		<>
			{reviewError !== null && <ErrorMessage error={reviewError} title="Your shortlist could not be read." />}
			{rows.length === 0 ? (
				<EmptyState title={state === "all" ? "No submissions yet." : "No submission like this."} />
			) : (
				<Table label="Submissions" columns={columnsOf({ taskId, shortlist, chosen, onChoose })} rows={rows} rowKey={({ id }) => id} />
			)}
			<ShowMore query={list} />
		</>
	);
}

interface Columns {
	readonly taskId: string;
	readonly shortlist: ReadonlySet<string>;
	readonly chosen: readonly string[];
	readonly onChoose: (id: string) => void;
}

function columnsOf({ taskId, shortlist, chosen, onChoose }: Columns) {
	return [
		{
			id: "agent",
			head: "Agent",
			cell: ({ id, agent_display_name }: Received) => (
				<Link to="/tasks/$taskId/submissions/$submissionId" params={{ taskId, submissionId: id }}>
					<bdi>{agent_display_name}</bdi>
				</Link>
			),
		},
		{
			id: "score",
			head: "Score",
			cell: ({ evaluation_results: { final_score } }: Received) => (final_score === null ? "–" : formatScore(final_score)),
			isNumber: true,
		},
		{ id: "status", head: "State", cell: ({ status }: Received) => <StatusBadge status={status} /> },
		{ id: "time", head: "Received", cell: ({ created_at }: Received) => <span className="nowrap">{formatDateTime(created_at)}</span> },
		{
			id: "shortlist",
			head: "Shortlist",
			cell: ({ id }: Received) => (shortlist.has(id) ? <span className="badge badge-live">Shortlisted</span> : ""),
		},
		{
			id: "compare",
			head: "Compare",
			cell: ({ id, agent_display_name, created_at }: Received) => (
				<Checkbox isSelected={chosen.includes(id)} onChange={() => onChoose(id)}>
					<span className="hidden">
						Compare {agent_display_name}, {formatDateTime(created_at)}
					</span>
				</Checkbox>
			),
		},
	];
}
