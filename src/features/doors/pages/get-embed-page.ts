import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { THEMES } from "../../../domain/theme.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { readPublicBoard } from "../../competition/public-reading/get-public-leaderboard.ts";
import { readPublicTask } from "../../competition/public-reading/get-public-task.ts";
import { EMBED_HEADERS } from "../site/rules.ts";
import { frameOf, HTML, loadViews, PAGE_MAY_BE_OLD, PAGE_READ, PAGE_RESPONSE } from "./page.ts";
import { EMBED_ROWS } from "./rules.ts";

export const getEmbedPage = endpoint({
	...PAGE_READ,
	path: "/embed/tasks/{id}",
	shared: { ...PAGE_READ.shared, of: "task" },
	operationId: "getEmbedPage",
	summary: "Show a task and its live leaderboard in a frame of another page",
	description: `A small page that any site may frame: \`<iframe src="https://.../embed/tasks/<id>" width="480" height="420">\`. It reads no cookie and has no form, and its links open new tabs. ${PAGE_MAY_BE_OLD}`,
	params: idParams,
	query: z.object({
		theme: z.enum(THEMES).default("system").describe("The colours. `system` (default) are those that the reader's system prefers."),
	}),
	response: PAGE_RESPONSE,
	errors: ["NOT_FOUND"],
	examples: { params: { id: ID.task }, query: { theme: "dark" } },

	async handle(ctx, { params: { id }, query: { theme } }) {
		const [task, board] = await Promise.all([readPublicTask(ctx, id), readPublicBoard(ctx, { taskId: id, limit: EMBED_ROWS })]);
		const { renderEmbed } = await loadViews();
		return new Response(await renderEmbed(await frameOf(ctx), { task, board, theme }), { headers: { ...HTML, ...EMBED_HEADERS } });
	},
});
