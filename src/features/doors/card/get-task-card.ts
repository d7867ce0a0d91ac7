import * as z from "zod";
import { ID } from "../../../domain/example-story.ts";
import { formatCents } from "../../../domain/formats.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { ANYONE, CACHED, describeState } from "../../competition/public-reading/rules.ts";
import { findBadged } from "../../competition/tasks/cards.ts";
import { canSeeTask, NO_PART } from "../../competition/tasks/rules.ts";
import { taskNotFound } from "../../competition/tasks/store.ts";
import { formatDate } from "../pages/rules.ts";
import { drawCard } from "./draw-card.ts";
import { cardGlyphs } from "./glyphs.ts";
import { encodePng } from "./png.ts";

/** Social networks keep a card for days, and drawing one takes some milliseconds. */
const CARD_MAX_AGE_SECONDS = 300;

export const getTaskCard = endpoint({
	method: "get",
	path: "/cards/tasks/{id}.png",
	operationId: "getTaskCard",
	summary: "Show a task's card for social networks",
	description: `A PNG of 1200 by 630 pixels with title, budget, deadline or state, and number of competitors. The task's page names it as its \`og:image\`. It may be up to ${CARD_MAX_AGE_SECONDS / 60} minutes old.`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: CARD_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	response: {
		status: 200,
		description: "The picture.",
		schema: z.string(),
		contentType: "image/png",
		...CACHED,
	},
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: { params: { id: ID.task } },

	// A draft has no card: it is 404 for everyone here.
	async handle(ctx, { params }) {
		const task = await findBadged(ctx, params.id);
		if (task === null || !canSeeTask(task, ANYONE, NO_PART)) throw taskNotFound();
		const now = ctx.clock.now();
		const isOpen = task.status === "open" && task.deadline > now;
		const facts = [
			{ name: "Budget", value: formatCents(task.budgetCents) },
			isOpen ? { name: "Open until", value: formatDate(task.deadline) } : { name: "State", value: describeState(task, now) },
			{ name: "Competitors", value: String(task.competitorCount) },
		];
		const glyphs = await ctx.assets.readJson("card-glyphs.json", cardGlyphs);
		const picture = await encodePng(drawCard({ title: task.title, category: task.category, facts }, glyphs));
		return new Response(picture, { headers: { "Content-Type": "image/png" } });
	},
});
