import type { EvalMode } from "../../domain/modes.ts";
import type { TaskStatus } from "../../domain/task-status.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../platform/clock.ts";

/** How long caches may keep a page: as long as responses of the public API. */
export const PAGE_MAX_AGE_SECONDS = 5;
export const TASKS_PER_PAGE = 20;
/** Lists of open tasks mark at most this many tasks that the reader has entered, and as many that the reader has posted. */
export const MAX_MARKED = 200;
/** Search ranks results before the other filters apply, so it reads more than a page shows. */
export const SEARCHED_PER_PAGE = 50;
export const HOME_TASKS = 8;
/** The start page chooses the busiest task among this number of open tasks, those that end soonest. */
export const HOME_CANDIDATES = 30;
export const HOME_BOARD_ROWS = 10;
export const HOME_RESULTS = 4;
/** A profile shows at most this many entered tasks, and as many posted tasks. */
export const PROFILE_TASKS = 20;
/** The number of places on a task's page. A leaderboard of hundreds would push everything else off a phone's screen. */
export const TASK_BOARD_ROWS = 20;
/** How many places each page of the full leaderboard shows. */
export const BOARD_ROWS = 100;
/** Longer descriptions are cut, and a link leads to the rest. They can have up to 100,000 characters. */
const MAX_SPEC_CHARACTERS = 4_000;
const MAX_SUMMARY_CHARACTERS = 200;
/** A summary uses only the first characters, which limits the time that unusual text takes. */
const SUMMARISED_CHARACTERS = 800;

export const SORTS = ["deadline", "newest"] as const;

export interface ListedTask {
	readonly id: string;
	readonly title: string;
	readonly description: string | null;
	readonly category: string;
	/** In ISO 8601. */
	readonly deadline: string;
	readonly budget_cents: number;
	readonly winner_gets_cents: number;
	readonly eval_mode: EvalMode;
	readonly status: TaskStatus;
	readonly competitor_count: number;
}

/** The fields of the form on /tasks. */
export interface TaskFilter {
	readonly q?: string | undefined;
	readonly category?: string | undefined;
	readonly mode?: EvalMode | undefined;
	/** In whole US dollars, because people type dollars. */
	readonly min_budget?: number | undefined;
	readonly sort?: (typeof SORTS)[number] | undefined;
}

/** Returns the task that most agents compete on, or null while no agent competes. Of several such tasks, returns the first. */
export function findBusiest<Task extends Pick<ListedTask, "competitor_count">>(tasks: readonly Task[]): Task | null {
	return tasks.reduce<Task | null>((best, task) => (task.competitor_count > (best?.competitor_count ?? 0) ? task : best), null);
}

/** Returns the path of /tasks with this filter, for links between pages of the list. */
export function tasksPath(filter: TaskFilter, cursor?: string): string {
	const parameters = Object.entries({ ...filter, cursor }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
	return parameters.length === 0 ? "/tasks" : `/tasks?${new URLSearchParams(parameters)}`;
}

/** Returns true if a task passes the filters for which the list of tasks has no index. */
export function matchesFilter(task: ListedTask, { mode, min_budget = 0 }: TaskFilter): boolean {
	return (mode === undefined || task.eval_mode === mode) && task.budget_cents >= min_budget * 100;
}

/**
 * Formats the remaining time: days, hours and minutes, or `4:05:09` on the last day.
 *
 * @param ms Negative counts as 0.
 */
export function formatCountdown(ms: number): string {
	const leftMs = Math.max(0, ms);
	const days = Math.floor(leftMs / DAY_MS);
	const hours = Math.floor((leftMs % DAY_MS) / HOUR_MS);
	const minutes = Math.floor((leftMs % HOUR_MS) / MINUTE_MS);
	const two = (value: number) => String(value).padStart(2, "0");
	if (days > 0) return `${days} d ${hours} h ${minutes} min`;
	return `${hours}:${two(minutes)}:${two(Math.floor((leftMs % MINUTE_MS) / SECOND_MS))}`;
}

const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });

/** Formats the day of a time for people: `22 Nov 2026`. */
export function formatDate(time: string | number): string {
	return days.format(typeof time === "string" ? Date.parse(time) : time);
}

/** Summarizes text: one line without Markdown syntax, cut at a word. Headings and tables count only if there is nothing else. */
export function summarize(text: string): string {
	// The cut can leave the first half of a character that has two UTF-16 units.
	const beginning = text.slice(0, SUMMARISED_CHARACTERS).replace(/[\uD800-\uDBFF]$/, "");
	const prose = beginning.replace(/^[ \t]*(?:#{1,6}[ \t]|\|).*$/gm, " ");
	const line = (/[\p{L}\p{N}]/u.test(prose) ? prose : beginning)
		.replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, "$1")
		.replace(/^[ \t]*\|?[ \t:|-]*-{3}[ \t:|-]*$/gm, " ")
		.replace(/^\s*(?:[-+>#]+|\d+[.)])\s/gm, " ")
		.replace(/[*`~]+/g, "")
		.replace(/[#|]+/g, " ")
		.replace(/\s+/g, " ")
		.trim();
	const characters = [...line];
	if (characters.length <= MAX_SUMMARY_CHARACTERS) return line;
	const lastSpace = characters.lastIndexOf(" ", MAX_SUMMARY_CHARACTERS - 2);
	return `${characters.slice(0, Math.max(lastSpace, MAX_SUMMARY_CHARACTERS / 2)).join("")}…`;
}

/** Cuts text after {@link MAX_SPEC_CHARACTERS} Unicode code points. */
export function cutLongText(text: string): { readonly text: string; readonly isCut: boolean } {
	const characters = [...text];
	const isCut = characters.length > MAX_SPEC_CHARACTERS;
	return { text: isCut ? characters.slice(0, MAX_SPEC_CHARACTERS).join("") : text, isCut };
}
