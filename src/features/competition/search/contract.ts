import * as z from "zod";
import { contractOf } from "../../../http/endpoint.ts";
import { category, text } from "../../../http/fields.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor } from "../../../http/pagination.ts";
import { MAX_MATCHES, MAX_SPEC_CHARACTERS, MAX_WORDS } from "../search-index/rules.ts";
import { taskView } from "../tasks/task.ts";

const foundTaskView = taskView
	.extend({
		rank: z
			.int()
			.min(1)
			.describe("1, and 1 more for each word or phrase of the query that the title has. Compare ranks only within one search."),
	})
	.meta({ id: "FoundTask", description: "A task that a search found." });

export const searchTasks = contractOf({
	method: "get",
	path: "/api/v1/search/tasks",
	operationId: "searchTasks",
	summary: "Search published tasks",
	description: [
		`Looks in title, description, category and the first ${MAX_SPEC_CHARACTERS.toLocaleString("en")} characters of each spec. All words must occur; \`OR\` between words or groups of words`,
		'asks for either side; "quoted words" must occur next to each other; the last word also finds words that start with it,',
		`from two letters on. Case, accents and punctuation do not matter. The first ${MAX_WORDS} words count, or half as many in quoted phrases.`,
		"Tasks with more of the words in their title come first, and the newest come first among equals.",
		`A query finds at most the ${MAX_MATCHES.toLocaleString("en")} newest matches.`,
		"Pages show the tasks that were published when you read the first page: later ones neither appear nor move the others.",
		"The platform works without its search index. Then a search is 503 `NOT_READY`.",
	].join(" "),
	tags: ["Tasks"],
	auth: "key",
	rate: "general",
	query: z.object({
		query: text({ min: 1, max: 500 }).describe("Words, quoted phrases and `OR`."),
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
});
