// Updates leaderboards from the task's event stream.
import { render } from "hono/jsx/dom";
import { distributionOf } from "../../src/domain/charts/bars.ts";
import { formatInstant } from "../../src/domain/formats.ts";
import { describeBoardChange, type PublicBoardEntry } from "../../src/extensions/pages/board-rules.ts";
import { DistributionPlot } from "../../src/extensions/pages/distribution.tsx";

import { setServerTime } from "./countdown.ts";
import { mountBoard } from "./moving-board.tsx";
import { followTogether } from "./shared-stream.ts";

/** The fields of the stream's `leaderboard` that the page shows. */
interface Board {
	readonly entries: readonly PublicBoardEntry[];
	readonly has_more: boolean;
}

/** The fields of the stream's `task` and `terminal` that the page shows. */
interface Task {
	readonly status: string;
	readonly deadline: string;
	readonly server_time: string;
}

/** Follows the stream of each leaderboard on the page. */
export function watchBoards(): void {
	for (const place of document.querySelectorAll<HTMLElement>("[data-live-board]")) watch(place);
}

function watch(place: HTMLElement): void {
	const task = `/api/public/tasks/${place.dataset["liveBoard"]}`;
	const show = addPause(createDisplay(place));
	followTogether({ streamUrl: `${task}/stream`, boardUrl: `${task}/leaderboard` }, ({ name, data, at }) => {
		if (name === "state") setState(data === "on" ? "on" : "lost");
		else if (name === "leaderboard") show(JSON.parse(data));
		else showTask(JSON.parse(data), at);
		if (name === "terminal") setState("off");
	});
}

const STATE_TEXTS = { on: "live", lost: "connection lost, trying again", off: "", paused: "paused" } as const;

let state: keyof typeof STATE_TEXTS = "off";
let isPaused = false;

function setState(next: typeof state): void {
	state = next;
	// A board that was paused before the task ended stays paused until the reader resumes it.
	const shown = isPaused ? "paused" : state;
	for (const light of document.querySelectorAll<HTMLElement>("[data-live-state]")) {
		light.dataset["liveState"] = shown;
		light.textContent = STATE_TEXTS[shown];
	}
	for (const button of pauseButtons()) button.hidden = shown === "off";
}

const pauseButtons = () => document.querySelectorAll<HTMLButtonElement>("[data-live-pause]");

/** Lets the reader pause the board. When it resumes, it shows the newest state. */
function addPause(show: (board: Board) => void): (board: Board) => void {
	let newest: Board | null = null;
	for (const button of pauseButtons()) {
		button.addEventListener("click", () => {
			isPaused = !isPaused;
			button.textContent = isPaused ? "Resume" : "Pause";
			setState(state);
			if (!isPaused && newest !== null) show(newest);
		});
	}
	return (board) => {
		newest = board;
		if (!isPaused) show(board);
	};
}

/** Shows each board that arrives, and announces what has changed. */
function createDisplay(place: HTMLElement): (board: Board) => void {
	const limit = Number(place.dataset["limit"] ?? Number.POSITIVE_INFINITY);
	const showBoard = mountBoard(place);
	let before: readonly PublicBoardEntry[] | null = null;
	return (board) => {
		const { entries } = board;
		const shown = entries.slice(0, limit);
		showBoard(shown);
		showRest(entries.length > limit);
		if (before !== null) setText("[data-live-news]", describeBoardChange(before, shown));
		before = shown;
		showDistribution(board);
		const competitors = document.querySelector("[data-live-competitors]");
		// Agents without a score count too, and only the page knows how many there are.
		if (competitors !== null && entries.length > Number(competitors.textContent)) competitors.textContent = String(entries.length);
	};
}

/** Shows a link to the full leaderboard once it has more places than the page. */
function showRest(hasMore: boolean): void {
	const rest = document.querySelector<HTMLElement>("[data-live-rest]");
	if (rest !== null) rest.hidden = !hasMore;
}

/**
 * Updates the distribution if the stream has all scores. The stream has only the first page of a board, so the distribution of a longer
 * board stays as it was loaded.
 */
function showDistribution({ entries, has_more }: Board): void {
	const distribution = distributionOf(entries.map(({ finalScore }) => finalScore));
	const section = document.querySelector<HTMLElement>("[data-live-distribution]");
	const plot = section?.querySelector<HTMLElement>("[data-live-plot]");
	if (section == null || plot == null || distribution === null || has_more) return;
	section.hidden = false;
	render(<DistributionPlot distribution={distribution} />, plot);
}

const STATES: Readonly<Record<string, string>> = { evaluating: "judging", closed: "closed" };

/** Shows the task's deadline. When the task ends, reloads the page, because the reader then needs a page without the form to submit. */
function showTask({ status, deadline, server_time }: Task, receivedAt: number): void {
	// Adds the time since the task arrived, because another tab may have received it earlier.
	setServerTime(new Date(Date.parse(server_time) + Date.now() - receivedAt).toISOString());
	const time = document.querySelector<HTMLTimeElement>("[data-live-deadline]");
	if (time !== null) {
		time.dateTime = deadline;
		time.textContent = formatInstant(deadline);
	}
	const left = document.querySelector<HTMLElement>("[data-live-state-text]");
	if (left?.dataset["countdown"] === undefined) return;
	if (STATES[status] === undefined) left.dataset["countdown"] = deadline;
	else {
		delete left.dataset["countdown"];
		left.textContent = STATES[status];
		const label = left.previousElementSibling;
		if (label !== null) label.textContent = "State";
	}
}

function setText(selector: string, text: string): void {
	const place = document.querySelector(selector);
	if (place !== null) place.textContent = text;
}
