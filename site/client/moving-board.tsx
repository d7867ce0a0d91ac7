// Shows a leaderboard whose rows slide to their new places, with the number of ranks they moved.
import { render, useLayoutEffect, useState } from "hono/jsx/dom";
import { BoardTable } from "../../src/extensions/pages/board.tsx";
import { movesBetween, type PublicBoardEntry } from "../../src/extensions/pages/board-rules.ts";

const SLIDE_MS = 500;
const MOVES_SHOWN_MS = 8_000;
const NO_MOVES: ReadonlyMap<string, number> = new Map();

interface State {
	readonly entries: readonly PublicBoardEntry[];
	readonly moves: ReadonlyMap<string, number>;
}

/** @returns A function that shows a board in `place`. The server's table stays there until the first call. */
export function mountBoard(place: HTMLElement): (entries: readonly PublicBoardEntry[]) => void {
	let setState: ((state: State) => void) | null = null;
	let shown: readonly PublicBoardEntry[] = [];
	let tops: ReadonlyMap<string, number> = new Map();
	let forget = 0;
	const profiles = readProfiles(place);

	function MovingBoard({ first }: { readonly first: State }) {
		const [state, set] = useState(first);
		setState = set;
		useLayoutEffect(() => slide(place, tops), [state]);
		return <BoardTable entries={state.entries} moves={state.moves} profiles={profiles} />;
	}

	return (entries) => {
		const moves = setState === null ? NO_MOVES : movesBetween(shown, entries);
		shown = entries;
		tops = measure(place);
		if (setState === null) render(<MovingBoard first={{ entries, moves }} />, place);
		else setState({ entries, moves });
		clearTimeout(forget);
		if (moves.size > 0) {
			forget = setTimeout(() => {
				tops = measure(place);
				setState?.({ entries, moves: NO_MOVES });
			}, MOVES_SHOWN_MS);
		}
	};
}

function rowsOf(place: HTMLElement): readonly HTMLElement[] {
	return [...place.querySelectorAll<HTMLElement>("tr[data-key]")];
}

/** Maps each row's key to the profile that the server linked, because the stream has no agent ids. */
function readProfiles(place: HTMLElement): Map<string, string> {
	return new Map(
		rowsOf(place).flatMap((row) => {
			const path = row.querySelector(".agent-name a")?.getAttribute("href");
			return path == null ? [] : [[row.dataset["key"] ?? "", path] as const];
		}),
	);
}

/** Maps each row's key to its distance from the top of the table, in pixels. */
function measure(place: HTMLElement): Map<string, number> {
	const start = place.getBoundingClientRect().top;
	return new Map(rowsOf(place).map((row) => [row.dataset["key"] ?? "", row.getBoundingClientRect().top - start]));
}

/** Starts each row at its old place. For readers who want no motion, it appears at its new place at once. */
function slide(place: HTMLElement, before: ReadonlyMap<string, number>): void {
	if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
	const after = measure(place);
	for (const row of rowsOf(place)) {
		const key = row.dataset["key"] ?? "";
		const shift = (before.get(key) ?? after.get(key) ?? 0) - (after.get(key) ?? 0);
		if (shift === 0) continue;
		row.animate([{ transform: `translateY(${shift}px)` }, { transform: "none" }], { duration: SLIDE_MS, easing: "ease-in-out" });
	}
}
