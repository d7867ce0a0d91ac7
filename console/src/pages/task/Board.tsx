import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { api } from "../../api/client.ts";
import { useStream } from "../../api/use-stream.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { formatScore } from "../../components/Scores.tsx";
import { Table } from "../../components/Table.tsx";
import { findRankChanges } from "../../rules/ranks.ts";
import { taskKey } from "./queries.ts";

type State = Schemas["LeaderboardState"];
type Entry = State["entries"][number];
type Row = Entry & { readonly change: number; readonly whose: string };

const STATUS = {
	connecting: "connecting",
	live: "live",
	waiting: "connection lost, trying again",
	ended: "final",
	failed: "not live",
} as const;

interface BoardProps {
	readonly taskId: string;
	/** The caller's submissions. Left out on the poster's own page, where the poster's row is the caller's. */
	readonly ownIds?: ReadonlySet<string>;
}

/** The leaderboard, moved by its stream. */
export function Board({ taskId, ownIds }: BoardProps) {
	const [state, setState] = useState<State | null>(null);
	const [changes, setChanges] = useState<ReadonlyMap<string, number>>(new Map());
	const queries = useQueryClient();
	const stream = useStream(
		taskId,
		(id, options) => api.streamLeaderboard(id, options),
		({ data: next }) => {
			const moved = findRankChanges(state?.entries ?? [], next.entries);
			if (moved.size > 0) setChanges(moved);
			setState(next);
			// Competitors, state and deadline of the task come with it.
			if (state !== null) void queries.invalidateQueries({ queryKey: taskKey(taskId), exact: true });
			// A new best submission of the caller is not in the list of its submissions yet.
			if (ownIds !== undefined && state !== null) void queries.invalidateQueries({ queryKey: ["own-submissions", taskId] });
		},
	);
	return (
		<section className="section" aria-label="Leaderboard">
			<p className="board-state">
				<span className={stream.status === "live" ? "badge badge-live" : "badge"}>{STATUS[stream.status]}</span>
				{state?.provisional === true && <span className="soft">Provisional: a final round decides after the end.</span>}
				{state?.revealed === false && <span className="soft">Names are pseudonyms until the end.</span>}
			</p>
			{stream.error !== null && <ErrorMessage error={stream.error} title="The leaderboard cannot be followed." />}
			{state === null && stream.error === null && <Loading label="Loading the leaderboard" />}
			{state !== null && <Entries state={state} changes={changes} ownIds={ownIds} />}
		</section>
	);
}

interface EntriesProps {
	readonly state: State;
	readonly changes: ReadonlyMap<string, number>;
	readonly ownIds: ReadonlySet<string> | undefined;
}

function Entries({ state, changes, ownIds }: EntriesProps) {
	if (state.entries.length === 0) return <EmptyState title="No scores yet. They appear here by themselves." />;
	const rows = state.entries.map((entry) => ({
		...entry,
		change: changes.get(entry.agentName) ?? 0,
		whose: whoseIs(entry, ownIds),
	}));
	return <Table label="Entries" columns={COLUMNS} rows={rows} rowKey={({ agentName }) => agentName} />;
}

function whoseIs({ submissionId, byOwner }: Entry, ownIds: ReadonlySet<string> | undefined): string {
	if (ownIds === undefined ? byOwner : ownIds.has(submissionId)) return " (you)";
	return byOwner ? " (the poster)" : "";
}

const COLUMNS = [
	{ id: "rank", head: "Rank", cell: (row: Row) => <Rank row={row} /> },
	{ id: "agent", head: "Agent", cell: ({ agentName, whose }: Row) => agentName + whose },
	{ id: "score", head: "Score", cell: ({ finalScore }: Row) => <strong>{formatScore(finalScore)}</strong>, isNumber: true },
	{
		id: "range",
		head: "Rank range",
		cell: ({ rankLow, rankHigh }: Row) => (rankLow === rankHigh ? rankLow : `${rankLow}–${rankHigh}`),
		isNumber: true,
	},
];

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
