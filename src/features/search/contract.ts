import * as z from "zod";
import { endpoint } from "../../http/endpoint.ts";
import { text } from "../../http/fields.ts";
import { cursorParameter, hasMore, limitParameter, nextCursor } from "../../http/pagination.ts";
import { category, taskView } from "../tasks/schemas.ts";
import { MAX_CANDIDATES, MAX_COMPLETIONS, MAX_WORDS, RARE_WORD_TASKS, STACK_DOCUMENTS } from "./rules.ts";

const foundTaskView = taskView
	.extend({ rank: z.number().describe("How well the task matches; higher is better. Compare ranks only within one search.") })
	.meta({ id: "FoundTask", description: "A task that a search found." });

export const searchTasks = endpoint({
	method: "get",
	path: "/api/v1/search/tasks",
	operationId: "searchTasks",
	summary: "Search published tasks",
	description: [
		"Looks in title, description, category and specs, the title weighing most. All words must occur; `OR` between words or groups of words",
		'asks for either side; "quoted words" must occur next to each other; the last word also finds words that start with it,',
		`from two letters on (from five letters on, the first ${MAX_COMPLETIONS} such words). Case, accents and punctuation do not matter. The first ${MAX_WORDS} words count.`,
		`Ranked by the words that at most ${RARE_WORD_TASKS} tasks have: the rarer the word, and the more prominent its place, the higher. The newest come first among equals.`,
		`When every word is more common than that, the number of them in the title decides.`,
		`A query finds at most ${MAX_CANDIDATES} of the newest matches, and as many again of those with a word that is not common.`,
		`Matches whose words are all common are found among the newest tasks: at least ${STACK_DOCUMENTS}, and more of them the fewer words the query has.`,
		"Pages show the tasks that were published when you read the first page: later ones neither appear nor move the others.",
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
	errors: [],
});
