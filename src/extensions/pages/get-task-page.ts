import * as z from "zod";
import { readPublicBoard } from "../../core/competition/public-reading/get-public-leaderboard.ts";
import { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";
import { readResult } from "../../core/competition/results/result.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { idParams } from "../../http/fields.ts";
import { readPosterFacts } from "../profiles/profile.ts";
import { FIRST_PLACE } from "./board-rules.ts";
import { frameOf, frameWithPauses, HTML, loadViews, PAGE_MAY_BE_OLD, PAGE_READ, PAGE_RESPONSE } from "./page.ts";
import { readPageBoard } from "./page-parts.ts";
import { BOARD_ROWS, TASK_BOARD_ROWS } from "./rules.ts";

export const getTaskPage = endpoint({
	...PAGE_READ,
	path: "/tasks/{id}",
	shared: { ...PAGE_READ.shared, of: "task" },
	operationId: "getTaskPage",
	owner: "pages",
	summary: "Look at a task and its leaderboard",
	description: `Description, rubric, time left, a live leaderboard, and how to submit. Programs should use GET /api/public/tasks/{id}. ${PAGE_MAY_BE_OLD}`,
	params: idParams,
	query: z.object({
		board: z
			.string()
			.min(1)
			.max(500)
			.optional()
			.describe("Which page of the whole leaderboard to show: `first`, or the cursor from the link to the next places."),
	}),
	response: PAGE_RESPONSE,
	errors: ["NOT_FOUND"],
	examples: { params: { id: ID.task }, query: { board: FIRST_PLACE } },

	// A draft returns 404, because getPublicTask does not show it.
	async handle(ctx, { params: { id }, query: { board: place } }) {
		if (place !== undefined) {
			const cursor = place === FIRST_PLACE ? undefined : place;
			const [task, board] = await Promise.all([readPublicTask(ctx, id), readPublicBoard(ctx, { taskId: id, limit: BOARD_ROWS, cursor })]);
			const { renderBoardPage } = await loadViews();
			return new Response(await renderBoardPage(await frameOf(ctx), { task, board }), { headers: HTML });
		}
		const { renderTask, readTaskSections } = await loadViews();
		const [task, { companyId, ...parts }, sections] = await Promise.all([
			readPublicTask(ctx, id),
			readPageBoard(ctx, { taskId: id, limit: TASK_BOARD_ROWS }),
			readTaskSections(ctx, id),
		]);
		const isClosed = parts.posterId !== null;
		const poster = isClosed ? null : await readPosterFacts(ctx, companyId);
		const result = isClosed ? await readResult(ctx, id) : null;
		return new Response(await renderTask(await frameWithPauses(ctx), { task, parts, poster, result, sections }), { headers: HTML });
	},
});
