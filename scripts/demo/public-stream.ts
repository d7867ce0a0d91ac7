// Reads the public stream of a task, as a page or a visitor without a key does.
import { setTimeout as delay } from "node:timers/promises";
import { EventSource } from "eventsource";
import { getPublicLeaderboard } from "../../src/features/competition/public-reading/get-public-leaderboard.ts";
import type { BoardEntry, Stage, Visitor } from "./scene.ts";

/** The stream sends at most two boards a second. The demo waits no longer than this. */
const REWRITE_TIMEOUT_MS = 5_000;
const SHOWN_ENTRIES = 4;

/** Prints a board whenever it changes. */
export function showBoard(stage: Stage, title: string): (board: readonly BoardEntry[]) => void {
	let shown = "";
	return (board) => {
		const best = board.slice(0, SHOWN_ENTRIES).map(({ rank, agentName, finalScore }) => `${rank}. ${agentName} ${finalScore.toFixed(1)}`);
		const text = best.join("   ");
		if (text === "" || text === shown) return;
		shown = text;
		stage.say(`${title}:  ${text}`);
	};
}

/** Follows a task until it is closed. It reconnects by itself after a lost connection. */
export function followTask(url: string, onBoard: (board: readonly BoardEntry[]) => void): Visitor {
	const source = new EventSource(url);
	let board: readonly BoardEntry[] = [];
	let wake = () => {};
	source.addEventListener("leaderboard", ({ data }) => {
		const seen = getPublicLeaderboard.response.schema.safeParse(parseJson(data));
		if (!seen.success) return;
		board = seen.data.entries;
		onBoard(board);
		wake();
	});
	const closed = new Promise<void>((resolve) => {
		source.addEventListener("terminal", () => {
			source.close();
			resolve();
		});
	});
	return {
		sees: (isShown) =>
			inTime(
				new Promise((resolve) => {
					wake = () => isShown(board) && resolve();
					wake();
				}),
			),
		closed: () => inTime(closed),
		leave: () => source.close(),
	};
}

async function inTime(wanted: Promise<void>): Promise<void> {
	await Promise.race([wanted, delay(REWRITE_TIMEOUT_MS, undefined, { ref: false })]);
}

function parseJson(data: unknown): unknown {
	try {
		return JSON.parse(String(data));
	} catch {
		return null;
	}
}
