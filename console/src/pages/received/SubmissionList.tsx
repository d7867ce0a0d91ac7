import { Link } from "@tanstack/react-router";
import { type CSSProperties, useState } from "react";
import { formatCount, formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import { ButtonLink } from "../../components/ButtonLink.tsx";
import { Checkbox } from "../../components/Checkbox.tsx";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Choice } from "../../components/Field.tsx";
import { Loading } from "../../components/Progress.tsx";
import { ShowMore } from "../../components/ShowMore.tsx";
import { SubmissionBadge } from "../../components/StatusBadge.tsx";
import { Table } from "../../components/Table.tsx";
import { When } from "../../components/When.tsx";
import type { ReceivedSubmission } from "../../queries/received.ts";
import { SORTS, type Sort, useReceived } from "../../queries/use-received.ts";
import { togglePair } from "../../rules/compare.ts";
import { criteriaOf, scoreOn, sortByCriterion } from "../../rules/heat.ts";
import { shortlistOf } from "../../rules/review.ts";
import { Export } from "./Export.tsx";
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

/** Lists the submissions of the task, filtered and sorted. Two of them can be selected for a comparison. */
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
		</div>
	);
}

/** Returns what to request for a state. The API filters by every state except the shortlist, which needs the ids of its submissions. */
function wantedOf(state: State, sort: Sort, shortlist: readonly string[] | undefined) {
	if (state === "shortlist") return { sort, ids: shortlist };
	return { sort, ids: null, status: state === "all" ? undefined : state };
}

interface ListProps {
	readonly taskId: string;
	readonly state: State;
	readonly sort: Sort;
	readonly chosen: readonly string[];
	readonly onChoose: (id: string) => void;
}

function List({ taskId, state, sort, chosen, onChoose }: ListProps) {
	const { review, error: reviewError } = useReview(taskId);
	const shortlist = review === null ? new Set<string>() : shortlistOf(review);
	const list = useReceived(taskId, wantedOf(state, sort, review === null ? undefined : [...shortlist]));
	const [criterion, setCriterion] = useState<string | null>(null);
	const { data } = list;
	const error = list.error ?? (state === "shortlist" ? reviewError : null);
	if (data === undefined) return error === null ? <Loading label="Loading the submissions" /> : <ErrorMessage error={error} />;
	const listed = data.pages.flatMap((page) => page.data);
	const rows = criterion === null ? listed : sortByCriterion(listed, criterion);
	const onSort = (name: string) => setCriterion(name === criterion ? null : name);
	return (
		<>
			{reviewError !== null && <ErrorMessage error={reviewError} title="Your shortlist could not be loaded." />}
			{rows.length === 0 ? (
				<EmptyState title={state === "all" ? "No submissions yet." : "No submissions match."} />
			) : (
				<>
					{criterion !== null && (
						<p className="soft" role="status">
							Sorted by {criterion} within the {formatCount(rows.length)} submissions shown.
						</p>
					)}
					<Table
						label="Submissions"
						keepsFirst
						columns={columnsOf({
							taskId,
							list: state === "shortlist" ? "shortlist" : "all",
							shortlist,
							chosen,
							onChoose,
							criteria: criteriaOf(listed),
							criterion,
							onSort,
						})}
						rows={rows}
						rowKey={({ id }) => id}
					/>
				</>
			)}
			<ShowMore query={list} />
		</>
	);
}

interface Columns {
	readonly taskId: string;
	/** The list to show next to a submission that is opened from here. */
	readonly list: "all" | "shortlist";
	readonly shortlist: ReadonlySet<string>;
	readonly chosen: readonly string[];
	readonly onChoose: (id: string) => void;
	/** The criteria that have a column each. */
	readonly criteria: readonly string[];
	/** The criterion that the list is sorted by. Null for the order that the reader chose above. */
	readonly criterion: string | null;
	readonly onSort: (name: string) => void;
}

function columnsOf({ taskId, list, shortlist, chosen, onChoose, criteria, criterion, onSort }: Columns) {
	return [
		{
			id: "agent",
			head: "Agent",
			cell: ({ id, agent_display_name }: ReceivedSubmission) => (
				<Link to="/tasks/$taskId/submissions/$submissionId" params={{ taskId, submissionId: id }} search={list === "all" ? {} : { list }}>
					<bdi>{agent_display_name}</bdi>
				</Link>
			),
		},
		{
			id: "score",
			head: "Score",
			cell: ({ evaluation_results: { final_score } }: ReceivedSubmission) => (final_score === null ? "–" : formatScore(final_score)),
			isNumber: true,
		},
		...criteria.map((name) => ({
			id: `criterion ${name}`,
			head: name,
			cell: (row: ReceivedSubmission) => <Heat score={scoreOn(row, name)} />,
			isNumber: true,
			isNarrow: true,
			sort: { isSorted: name === criterion, onSort: () => onSort(name) },
		})),
		{ id: "status", head: "State", cell: (submission: ReceivedSubmission) => <SubmissionBadge submission={submission} /> },
		{ id: "time", head: "Received", cell: ({ created_at }: ReceivedSubmission) => <When at={created_at} /> },
		{
			id: "shortlist",
			head: "Shortlist",
			cell: ({ id }: ReceivedSubmission) => (shortlist.has(id) ? <span className="badge badge-live">Shortlisted</span> : ""),
		},
		{
			id: "compare",
			head: "Compare",
			cell: ({ id, agent_display_name, created_at }: ReceivedSubmission) => (
				<Checkbox isSelected={chosen.includes(id)} onChange={() => onChoose(id)}>
					<span className="phone-label" aria-hidden="true">
						Compare
					</span>
					<span className="hidden">
						Compare {agent_display_name}, {formatDateTime(created_at)}
					</span>
				</Checkbox>
			),
		},
	];
}

/** Colours a score: the better the score, the stronger the colour. */
function Heat({ score }: { readonly score: number | null }) {
	if (score === null) return "–";
	const strength: CSSProperties & Record<"--heat", string> = { "--heat": `${score}%` };
	return (
		<span className="heat" style={strength}>
			{formatScore(score)}
		</span>
	);
}
