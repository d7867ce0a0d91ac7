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
import { type Canvas, createCanvas, fillBox, type Ink, writeText } from "./canvas.ts";
import { breakLines, type CardGlyphs, cardGlyphs, fitText, measureText } from "./glyphs.ts";
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

// The card of a task shows title, budget, end and competitors, in the colours of the light theme.

/** Social networks show cards of this size without cutting them. */
const CARD_WIDTH = 1200;
const CARD_HEIGHT = 630;
const EDGE = 72;
const MARK = 56;
const TITLE_Y = 186;
const TITLE_LINES = 3;
const FACTS_Y = 470;
const FACT_GAP = 72;
const STRIP = 14;

const GROUND = [0xfc, 0xfc, 0xf9] as const;
const ACCENT = [0x0b, 0x6b, 0x4a] as const;
/** Each function draws with the number of an ink. */
const INKS: readonly Ink[] = [
	{ ground: GROUND, colour: [0x17, 0x1c, 0x19] },
	{ ground: GROUND, colour: [0x50, 0x59, 0x53] },
	{ ground: GROUND, colour: ACCENT },
	{ ground: ACCENT, colour: [0xff, 0xff, 0xff] },
	{ ground: GROUND, colour: [0xdc, 0xde, 0xd4] },
];
const TEXT = 0;
const SOFT = 1;
const GREEN = 2;
const WHITE = 3;
const LINE = 4;

const BRAND = "Bounty Platform";
/** This text replaces a title in letters that the cards do not have. */
const FALLBACK_TITLE = "A task with a rubric";

/** @param card The facts are the columns of the foot, each with its name. */
function drawCard(
	card: { readonly title: string; readonly category: string; readonly facts: readonly { readonly name: string; readonly value: string }[] },
	{ fonts: { title, value, label }, pixels }: CardGlyphs,
): Canvas {
	const canvas = createCanvas(CARD_WIDTH, CARD_HEIGHT, INKS);
	drawMark(canvas);
	writeText(canvas, BRAND, { x: EDGE + MARK + 20, y: EDGE + 5, font: value, pixels, ink: TEXT });
	const [category = ""] = breakLines(fitText(card.category, label) ?? "", label, { width: 420, lines: 1 });
	writeText(canvas, category, { x: CARD_WIDTH - EDGE - measureText(category, label), y: EDGE + 12, font: label, pixels, ink: SOFT });
	const lines = breakLines(fitText(card.title, title) ?? FALLBACK_TITLE, title, { width: CARD_WIDTH - 2 * EDGE, lines: TITLE_LINES });
	for (const [index, line] of lines.entries()) {
		// A letter of this size begins some pixels right of its origin.
		writeText(canvas, line, { x: EDGE - 3, y: TITLE_Y + index * title.lineHeight, font: title, pixels, ink: TEXT });
	}
	fillBox(canvas, { x: EDGE, y: FACTS_Y - 28, width: CARD_WIDTH - 2 * EDGE, height: 2 }, LINE);
	let x = EDGE;
	for (const [index, fact] of card.facts.entries()) {
		const nameEnd = writeText(canvas, fact.name, { x, y: FACTS_Y, font: label, pixels, ink: SOFT });
		const valueEnd = writeText(canvas, fact.value, { x, y: FACTS_Y + 40, font: value, pixels, ink: index === 0 ? GREEN : TEXT });
		x = Math.round(Math.max(nameEnd, valueEnd)) + FACT_GAP;
	}
	fillBox(canvas, { x: 0, y: CARD_HEIGHT - STRIP, width: CARD_WIDTH, height: STRIP }, GREEN);
	return canvas;
}

/** Draws the mark of the platform: a rubric of three criteria. */
function drawMark(canvas: Canvas): void {
	fillBox(canvas, { x: EDGE, y: EDGE, width: MARK, height: MARK, radius: 12 }, GREEN);
	for (const [index, width] of [32, 20, 25].entries()) {
		fillBox(canvas, { x: EDGE + 12, y: EDGE + 14 + index * 11, width, height: 7, radius: 2 }, WHITE);
	}
}
