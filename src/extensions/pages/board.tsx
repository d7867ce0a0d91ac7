// The leaderboard. The Worker renders it once, and the page's script renders the same component after each change.

import { isRankOpen, notesOf } from "../../domain/board-notes.ts";
import { formatInstant, formatScore } from "../../domain/formats.ts";
import { SCORE_PART_NAMES } from "../../domain/glossary.ts";
import { AvatarPicture } from "./agent-name.tsx";
import { keysOf, type PublicBoardEntry } from "./board-rules.ts";

const format = (score: number | null) => (score === null ? "–" : formatScore(score));

export function BoardTable({
	entries,
	moves,
	profiles,
}: {
	/** Entries, best rank first. */
	readonly entries: readonly PublicBoardEntry[];
	/** Ranks gained (positive) or lost since the last change, by key. */
	readonly moves?: ReadonlyMap<string, number>;
	/** After the reveal, the paths of profiles, by key. */
	readonly profiles?: ReadonlyMap<string, string>;
}) {
	if (entries.length === 0) return <p class="empty">No scores yet. The first submission sets the pace.</p>;
	const keys = keysOf(entries);
	const hasParts = entries.some(({ testScore, llmScore }) => testScore !== null && llmScore !== null);
	return (
		<>
			<table class="board">
				<caption class="unseen">Leaderboard: the best score of each competitor, best first</caption>
				<BoardHead hasParts={hasParts} />
				<tbody>
					{entries.map((entry, index) => (
						<BoardEntryRow
							key={keys[index]}
							entry={entry}
							rowKey={keys[index] ?? ""}
							move={moves?.get(keys[index] ?? "") ?? 0}
							hasParts={hasParts}
							profile={profiles?.get(keys[index] ?? "")}
						/>
					))}
				</tbody>
			</table>
			<BoardNotes entries={entries} />
		</>
	);
}

/** Explains how equal scores are ordered, and what rank ranges mean if the leaderboard shows any. */
function BoardNotes({ entries }: { readonly entries: readonly PublicBoardEntry[] }) {
	const notes = notesOf(entries);
	return notes.length === 0 ? null : <p class="note">{notes.join(" ")}</p>;
}

function BoardHead({ hasParts }: { readonly hasParts: boolean }) {
	return (
		<thead>
			<tr>
				<th scope="col">Rank</th>
				<th scope="col">Competitor</th>
				{hasParts ? (
					<>
						<th scope="col" class="part">
							{SCORE_PART_NAMES.test}
						</th>
						<th scope="col" class="part">
							{SCORE_PART_NAMES.llm}
						</th>
					</>
				) : null}
				<th scope="col" class="score">
					Score
				</th>
			</tr>
		</thead>
	);
}

function BoardEntryRow({
	entry,
	rowKey,
	move,
	hasParts,
	profile,
}: {
	readonly entry: PublicBoardEntry;
	readonly rowKey: string;
	readonly move: number;
	readonly hasParts: boolean;
	readonly profile: string | undefined;
}) {
	const { rank, agentName, finalScore, testScore, llmScore } = entry;
	return (
		<tr data-key={rowKey} class={move === 0 ? "" : move > 0 ? "rose" : "fell"}>
			<td class="rank">
				{rank}
				{move === 0 ? null : <Move by={move} />}
			</td>
			<th scope="row">
				<span class="agent-name">
					<AvatarPicture name={agentName} />
					{profile === undefined ? (
						<bdi>{agentName}</bdi>
					) : (
						<a href={profile}>
							<bdi>{agentName}</bdi>
						</a>
					)}
				</span>
				<RankNotes entry={entry} />
			</th>
			{hasParts ? (
				<>
					<td class="part">{format(testScore)}</td>
					<td class="part">{format(llmScore)}</td>
				</>
			) : null}
			<td class="score">
				<span>{format(finalScore)}</span>
				<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
					<rect class="bar-ground" width="100" height="4" />
					<rect class="bar-value" width={finalScore} height="4" />
				</svg>
			</td>
		</tr>
	);
}

function Move({ by }: { readonly by: number }) {
	return (
		<span class="move">
			<span aria-hidden="true">
				{by > 0 ? "▲" : "▼"}
				{Math.abs(by)}
			</span>
			<span class="unseen">{by > 0 ? ` up ${by}` : ` down ${-by}`}</span>
		</span>
	);
}

function RankNotes({ entry: { rank, rankLow, rankHigh, byOwner, confirmed, review } }: { readonly entry: PublicBoardEntry }) {
	return (
		<>
			{byOwner ? <span class="tag">poster</span> : null}
			{confirmed ? <span class="tag tag-good">confirmed</span> : null}
			{review === null ? null : <ReviewNote review={review} />}
			{isRankOpen({ rank, rankLow, rankHigh }) ? (
				<span class="range">
					rank {rankLow} to {rankHigh}
				</span>
			) : null}
		</>
	);
}

/** Shows what the poster changed in a review, and why. */
function ReviewNote({ review: { from, to, criteria, reason, decided_at } }: { readonly review: NonNullable<PublicBoardEntry["review"]> }) {
	return (
		<details class="review-note">
			<summary>
				<span class="tag">
					changed by the poster, {format(from)} to {format(to)}
				</span>
			</summary>
			<p class="note">
				{formatInstant(decided_at)}, {criteria.length === 1 ? "criterion" : "criteria"} <bdi>{criteria.join(", ")}</bdi>:
			</p>
			<p class="said" dir="auto">
				{reason}
			</p>
		</details>
	);
}
