import * as z from "zod";
import { TASK } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { category, text } from "../../../http/fields.ts";
import {
	cursorParameter,
	decodeCursor,
	decryptCursor,
	encodeCursor,
	encryptCursor,
	hasMore,
	limitParameter,
	nextCursor,
	pageRows,
} from "../../../http/pagination.ts";
import type { PublicCtx } from "../../../ports/deps.ts";
import { ANYONE } from "../public-reading/rules.ts";
import { selectPublished } from "../tasks/cards.ts";
import { taskView, viewTask } from "../tasks/task.ts";
import { MAX_MATCHES, MAX_SPEC_CHARACTERS, MAX_WORDS, planSearch, type SearchFilter } from "./rules.ts";
import { findMatches, type SearchPlace } from "./search-index.ts";

const foundTaskView = taskView
	.extend({
		rank: z
			.int()
			.min(1)
			.describe("1, plus 1 for each word or phrase of the query that is in the title. Compare ranks only within one search."),
	})
	.meta({ id: "FoundTask", description: "A task that a search found." });

export const searchTasks = endpoint({
	method: "get",
	path: "/api/v1/search/tasks",
	operationId: "searchTasks",
	summary: "Search published tasks",
	description: [
		`Searches title, description, category and the first ${MAX_SPEC_CHARACTERS.toLocaleString("en")} characters of each spec. All words must occur. If \`OR\` is between two words or groups of words,`,
		'one of the two sides must match. "Quoted words" must occur next to each other. If the last word has at least two letters, it also',
		`matches words that start with it. Case, accents and punctuation do not matter. Chinese, Japanese, Korean and Thai words are also found inside other words.`,
		`Words after the first ${MAX_WORDS} are ignored. Towards this limit, each word of a quoted phrase counts as two words. In phrases, the limit counts two characters of a Chinese, Japanese, Korean or Thai word as one word.`,
		"Tasks with more of the words in their title come first, then the newest.",
		`A query returns at most the ${MAX_MATCHES.toLocaleString("en")} newest matches among public tasks, and at most as many among the invite-only tasks that you have joined or posted.`,
		"All pages of a search show only tasks that were published before you read the first page. Later tasks do not shift the pages.",
		"If the search index is unavailable, a search returns 503 `NOT_READY`. All other endpoints still work.",
	].join(" "),
	tags: ["Tasks"],
	auth: "key",
	rate: "search",
	query: z.object({
		query: text({ min: 1, max: 500 }).describe(
			"The words and quoted phrases to search for. With `OR` between two of them, a task needs to match only one.",
		),
		status: z.enum(["open", "closed", "evaluating", "any"]).default("any").describe("Only tasks with this status. Drafts are never found."),
		category: category.optional().describe("Only tasks in this category. Case does not matter."),
		limit: limitParameter({ max: 50, default: 20 }),
		cursor: cursorParameter,
	}),
	response: {
		status: 200,
		description: "A page of tasks, best first.",
		schema: z
			.object({
				data: z.array(foundTaskView).describe("The tasks that match, best match first."),
				has_more: hasMore,
				next_cursor: nextCursor,
			})
			.meta({ id: "TaskSearchResult", description: "A page of search results." }),
	},
	errors: ["NOT_READY"],
	page: "guides/search",
	examples: {
		query: { query: 'csv OR "bank export"', status: "open", category: TASK.category, limit: "20" },
		responses: { found: { value: { data: [{ ...TASK, rank: 2 }], has_more: false, next_cursor: null } } },
	},

	async handle(ctx, { query: input }) {
		const { ranked, pagination } = await findTaskPage(ctx, input, ctx.actor.agentId);
		return { data: ranked.map(({ task, rank }) => ({ ...viewTask(task), rank })), ...pagination };
	},
});

interface SearchInput {
	readonly query: string;
	readonly status: SearchFilter["status"];
	readonly category?: string | undefined;
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/**
 * Lists open tasks that match a query, best first, as the public list shows them.
 *
 * @throws AppError `NOT_READY` when the index cannot be read.
 */
export async function searchOpenTasks(ctx: PublicCtx, input: Omit<SearchInput, "status">) {
	const { ranked, pagination } = await findTaskPage(ctx, { ...input, status: "open" }, ANYONE);
	return {
		data: ranked.map(({ task }) => ({ ...viewTask(task), competitor_count: task.competitorCount })),
		next_cursor: pagination.next_cursor,
	};
}

/**
 * A cursor contains the parts of a {@link SearchPlace}. It is encrypted, because the numbers of documents reveal how many tasks exist,
 * including those that the reader may not see.
 */
const placeCursor = z.tuple([z.int(), z.int(), z.int(), z.string()]);

/**
 * Finds a page. The matching tasks come from the index, and their current state from the cards. While the index is behind the cards, a page
 * can be shorter. A query without a word finds nothing.
 */
async function findTaskPage(ctx: PublicCtx, { query, status, category, limit, cursor }: SearchInput, agentId: string) {
	const place = decodeCursor(await decryptCursor(ctx.config.keys, CURSOR_SCOPE, cursor), placeCursor);
	const after: SearchPlace | null =
		place === null ? null : { rank: place[0], document: place[1], newest: place[2], bookmark: place[3] === "" ? null : place[3] };
	const plan = planSearch(query, { status, category: category ?? null, readerId: agentId });
	const { matches, bookmark } = plan === null ? NOTHING : await findMatches(ctx, plan, { after, limit: limit + 1 });
	const ids = matches.slice(0, limit).map(({ taskId }) => taskId);
	const tasks = ids.length === 0 ? [] : await selectPublished(ctx, { ids, agentId });
	const taskById = new Map(tasks.filter((task) => status === "any" || task.status === status).map((task) => [task.id, task]));
	const items = matches.map(({ taskId }) => taskById.get(taskId) ?? null);
	const { rows, pagination } = pageRows(matches, { limit, items }, (last) =>
		encodeCursor([last.rank, last.document, last.newest, bookmark ?? ""]),
	);
	const ranked = rows.flatMap(({ taskId, rank }) => {
		const task = taskById.get(taskId);
		return task === undefined ? [] : [{ task, rank }];
	});
	const { next_cursor } = pagination;
	return { ranked, pagination: { ...pagination, next_cursor: await encryptCursor(ctx.config.keys, CURSOR_SCOPE, next_cursor) } };
}

const NOTHING = { matches: [], bookmark: null };

const CURSOR_SCOPE = { purpose: "search-cursor", about: "tasks" } as const;
