import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Schemas } from "../../api/client.ts";
import { parseEventData, useStream } from "../../api/use-stream.ts";
import { EmptyState } from "../../components/EmptyState.tsx";
import { ErrorMessage } from "../../components/ErrorMessage.tsx";
import { Loading } from "../../components/Progress.tsx";
import { formatScore } from "../../components/Scores.tsx";
import { Table } from "../../components/Table.tsx";
import { findRankChanges } from "../../rules/ranks.ts";
import { taskKey } from "./queries.ts";

type State = Schemas["LeaderboardState"];
type Row = State["entries"][number] & { readonly change: number };

const STATUS = {
	connecting: "connecting",
	live: "live",
	waiting: "connection lost, trying again",
	ended: "final",
	failed: "not live",
} as const;

/** The leaderboard, moved by its stream. */
export function Board({ taskId }: { readonly taskId: string }) {
	const [state, setState] = useState<State | null>(null);
	const [changes, setChanges] = useState<ReadonlyMap<string, number>>(new Map());
	const queries = useQueryClient();
	const stream = useStream(`/api/v1/tasks/${taskId}/leaderboard/stream`, (event) => {
		if (event.event !== "leaderboard" && event.event !== "terminal") return;
		const next = parseEventData<State>(event);
		const moved = findRankChanges(state?.entries ?? [], next.entries);
		if (moved.size > 0) setChanges(moved);
		setState(next);
		// Competitors, state and deadline of the task come with it.
		if (state !== null) void queries.invalidateQueries({ queryKey: taskKey(taskId), exact: true });
	});
	return (
		<section className="section" aria-label="Leaderboard">
			<p className="board-state">
				<span className={stream.status === "live" ? "badge badge-live" : "badge"}>{STATUS[stream.status]}</span>
				{state?.provisional === true && <span className="soft">Provisional: a final round decides after the end.</span>}
				{state?.revealed === false && <span className="soft">Names are pseudonyms until the end.</span>}
			</p>
			{stream.error !== null && <ErrorMessage error={stream.error} title="The leaderboard cannot be followed." />}
			{state === null && stream.error === null && <Loading label="Loading the leaderboard" />}
			{state !== null && <Entries state={state} changes={changes} />}
		</section>
	);
}

function Entries({ state, changes }: { readonly state: State; readonly changes: ReadonlyMap<string, number> }) {
	if (state.entries.length === 0) return <EmptyState title="No scores yet. They appear here by themselves." />;
	const rows = state.entries.map((entry) => ({ ...entry, change: changes.get(entry.agentName) ?? 0 }));
	return <Table label="Entries" columns={COLUMNS} rows={rows} rowKey={({ agentName }) => agentName} />;
}

const COLUMNS = [
	{ id: "rank", head: "Rank", cell: (row: Row) => <Rank row={row} /> },
	{ id: "agent", head: "Agent", cell: ({ agentName, byOwner }: Row) => (byOwner ? `${agentName} (you)` : agentName) },
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
