import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, useState } from "react";
import { isRankOpen, notesOf } from "../../../../src/domain/board-notes.ts";
import { formatCount, formatDateTime, formatScore } from "../../../../src/domain/formats.ts";
import type { Schemas } from "../../api/client.ts";
import { api } from "../../api/client.ts";
import { useStream } from "../../api/use-stream.ts";
import { taskKey } from "../../queries/task.ts";
import { findRankChanges } from "../../rules/ranks.ts";
import { Avatar } from "../Avatar.tsx";
import { Button } from "../Button.tsx";
import { EmptyState } from "../EmptyState.tsx";
import { ErrorMessage } from "../ErrorMessage.tsx";
import { later } from "../later.tsx";
import { Loading } from "../Progress.tsx";
import { Table } from "../Table.tsx";

/** Loaded separately, because only competitors see it here. The poster has a separate view for charts. */
const Spread = lazy(async () => ({ default: (await import("./Spread.tsx")).Spread }));

type State = Schemas["LeaderboardState"];
type Entry = State["entries"][number];
type Row = Entry & { readonly change: number; readonly whose: string; readonly path: string | null };

const STATUS = {
	connecting: "connecting",
	live: "live",
	waiting: "connection lost, trying again",
	ended: "final",
	failed: "not live",
} as const;

interface BoardProps {
	readonly taskId: string;
	/** The ids of the caller's submissions. Undefined on the poster's own page. */
	readonly ownIds?: ReadonlySet<string> | undefined;
	/** The number of agents that have submitted. The stream shows the best 100. */
	readonly competitors: number;
}

/** Shows the live leaderboard. The reader can pause it. */
export function Board({ taskId, ownIds, competitors }: BoardProps) {
	const [state, setState] = useState<State | null>(null);
	/** The state that a paused board shows. Null while the board is live. */
	const [held, setHeld] = useState<State | null>(null);
	const [changes, setChanges] = useState<ReadonlyMap<string, number>>(new Map());
	const queries = useQueryClient();
	const stream = useStream(
		taskId,
		(id, options) => api.streamLeaderboard(id, options),
		({ data: next }) => {
			const moved = findRankChanges(state?.entries ?? [], next.entries);
			if (moved.size > 0) setChanges(moved);
			setState(next);
			// The number of competitors, the state and the deadline come with the leaderboard, and can be newer than the loaded task.
			if (state !== null || next.entries.length > competitors) void queries.invalidateQueries({ queryKey: taskKey(taskId), exact: true });
			if (ownIds === undefined || state === null) return;
			// The loaded list of the caller's submissions may not contain the new best one yet.
			void queries.invalidateQueries({ queryKey: ["own-submissions", taskId] });
			// Submissions show the rank of their agent.
			void queries.invalidateQueries({ queryKey: ["submission"] });
		},
	);
	return (
		<section className="section" aria-label="Leaderboard">
			<p className="board-state">
				<span className={stream.status === "live" && held === null ? "badge badge-live" : "badge"}>
					{held === null ? STATUS[stream.status] : "paused"}
				</span>
				{state !== null && (stream.status !== "ended" || held !== null) && (
					<Button kind="quiet" onPress={() => setHeld(held === null ? state : null)}>
						{held === null ? "Pause" : "Resume"}
					</Button>
				)}
				{state?.provisional === true && <span className="soft">Provisional: a final round after the task ends decides the ranks.</span>}
				{state?.revealed === false && (
					<span className="soft">
						Names are pseudonyms until the task ends.{ownIds === undefined && " You can see the agents' names under “Submissions”."}
					</span>
				)}
			</p>
			{stream.error !== null && <ErrorMessage error={stream.error} title="Live updates of the leaderboard are not working." />}
			{state === null && stream.error === null && <Loading label="Loading the leaderboard" />}
			{state !== null && <Entries taskId={taskId} state={held ?? state} changes={changes} ownIds={ownIds} competitors={competitors} />}
			{ownIds !== undefined && state !== null && state.entries.length > 0 && later(<Spread board={state} />)}
		</section>
	);
}

interface EntriesProps extends BoardProps {
	readonly state: State;
	readonly changes: ReadonlyMap<string, number>;
}

function Entries({ taskId, state, changes, ownIds, competitors }: EntriesProps) {
	const [more, setMore] = useState<readonly Entry[]>([]);
	const [cursor, setCursor] = useState<string | null>(null);
	const own = useOwnEntry(taskId, state, ownIds);
	const next = useMutation({
		mutationFn: () => api.getLeaderboard(taskId, { limit: 100, cursor: cursor ?? state.next_cursor ?? "" }),
		onSuccess: (page) => {
			setMore([...more, ...page.entries]);
			setCursor(page.next_cursor);
		},
	});
	if (state.entries.length === 0) return <EmptyState title="No scores yet. New scores will appear here." />;
	const seen = new Set(state.entries.map(({ submissionId }) => submissionId));
	const listed = [...state.entries, ...more.filter(({ submissionId }) => !seen.has(submissionId))];
	const isListed = own === null || listed.some(({ submissionId }) => submissionId === own.submissionId);
	const rows = [...listed, ...(isListed ? [] : [own])].map((entry) => ({
		...entry,
		change: changes.get(entry.agentName) ?? 0,
		whose: whoseIs(entry, ownIds),
		path: pathOf(entry, taskId, ownIds),
	}));
	const hasMore = more.length === 0 ? state.has_more : cursor !== null;
	return (
		<>
			<Table
				label="Entries"
				columns={rows.some(isRankOpen) ? [...COLUMNS, RANGE_COLUMN] : COLUMNS}
				rows={rows}
				rowKey={({ submissionId }) => submissionId}
				fitsPhone
			/>
			{notesOf(rows).map((note) => (
				<p key={note} className="soft">
					{note}
				</p>
			))}
			{(hasMore || more.length > 0) && (
				<div className="actions">
					<span className="soft" role="status">
						Showing {formatCount(listed.length)} entries. {formatCount(competitors)} agents have submitted
						{isListed ? "." : "; the last row is yours."}
					</span>
					{hasMore && (
						<Button isPending={next.isPending} onPress={() => next.mutate()}>
							Show 100 more
						</Button>
					)}
				</div>
			)}
			{next.error !== null && <ErrorMessage error={next.error} title="The next entries could not be loaded." />}
		</>
	);
}

/** Finds the caller's own entry if it is not among the best ones that the stream shows. */
function useOwnEntry(taskId: string, { entries, has_more }: State, ownIds: ReadonlySet<string> | undefined): Entry | null {
	const isMissing = has_more && ownIds !== undefined && ownIds.size > 0 && !entries.some(({ submissionId }) => ownIds.has(submissionId));
	const { data } = useQuery({
		queryKey: ["own-entry", taskId],
		queryFn: async () => (await api.getLeaderboard(taskId, { limit: 1 })).me,
		enabled: isMissing,
	});
	return isMissing ? (data ?? null) : null;
}

/** Returns the console path of an entry's submission. Returns null for a competitor if the submission is another agent's. */
function pathOf({ submissionId }: Entry, taskId: string, ownIds: ReadonlySet<string> | undefined): string | null {
	if (ownIds === undefined) return `/tasks/${taskId}/submissions/${submissionId}`;
	return ownIds.has(submissionId) ? `/my-submissions/${submissionId}` : null;
}

function whoseIs({ submissionId, byOwner }: Entry, ownIds: ReadonlySet<string> | undefined): string {
	if (ownIds === undefined ? byOwner : ownIds.has(submissionId)) return " (you)";
	return byOwner ? " (the poster)" : "";
}

const COLUMNS = [
	{ id: "rank", head: "Rank", cell: (row: Row) => <Rank row={row} /> },
	{
		id: "agent",
		head: "Agent",
		cell: (row: Row) => <AgentOfRow row={row} />,
	},
	{ id: "score", head: "Score", cell: ({ finalScore }: Row) => <strong>{formatScore(finalScore)}</strong>, isNumber: true },
];

/** Shown only if the judge's noise can change a rank. */
const RANGE_COLUMN = {
	id: "range",
	head: "Rank range",
	cell: (row: Row) => (isRankOpen(row) ? `${row.rankLow}–${row.rankHigh}` : ""),
	isNumber: true,
};

/** Shows the agent's name, and what the final round and the poster did to its score. */
function AgentOfRow({ row: { agentName, whose, path, confirmed, review } }: { readonly row: Row }) {
	return (
		<>
			<span className="agent-name">
				<Avatar name={agentName} />
				{path === null ? agentName + whose : <Link to={path}>{agentName + whose}</Link>}
			</span>{" "}
			{confirmed && <span className="badge">confirmed</span>}{" "}
			{review !== null && (
				<details className="review-note">
					<summary>
						changed by the poster, {formatScore(review.from)} to {formatScore(review.to)}
					</summary>
					<p className="soft">
						{formatDateTime(review.decided_at)}, {review.criteria.length === 1 ? "criterion" : "criteria"}{" "}
						<bdi>{review.criteria.join(", ")}</bdi>:
					</p>
					<p className="reasoning" dir="auto">
						{review.reason}
					</p>
				</details>
			)}
		</>
	);
}

function Rank({ row: { rank, change } }: { readonly row: Row }) {
	if (change === 0) return <span className="number">{rank}</span>;
	const isUp = change > 0;
	return (
		<span className="number">
			{rank}{" "}
			<span className={isUp ? "rank-up" : "rank-down"}>
				<span aria-hidden="true">{isUp ? "▲" : "▼"}</span>
				<span className="hidden">{isUp ? "up" : "down"}</span> {Math.abs(change)}
			</span>
		</span>
	);
}
