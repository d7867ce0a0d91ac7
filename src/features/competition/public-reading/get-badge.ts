import * as z from "zod";
import { AT, ID } from "../../../domain/example-story.ts";
import { formatCents } from "../../../domain/formats.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { findBadged } from "../tasks/cards.ts";
import { canSeeTask, NO_PART } from "../tasks/rules.ts";
import { taskNotFound } from "../tasks/store.ts";
import { exampleFeedTask } from "./feed.ts";
import {
	ANYONE,
	type BadgeFacts,
	CACHED,
	describeCompetitors,
	describeState,
	escapeMarkup,
	MAY_BE_OLD,
	PUBLIC_MAX_AGE_SECONDS,
} from "./rules.ts";

/** Nothing in the picture needs a script, a style or another host. */
const BADGE_POLICY = "default-src 'none'; sandbox";
const HEIGHT = 20;
const PADDING = 7;
const FONT_SIZE = 11;
/** The widths of characters in Verdana of 11 px. `textLength` makes every other font fit. */
const WIDTHS: readonly (readonly [characters: string, width: number])[] = [
	["ijl", 3.1],
	[" .,", 4],
	["ft", 4.2],
	["rs", 5.3],
	["cdeghnopuvx0123456789$", 6.9],
	["m", 10.7],
];
const OTHER_WIDTH = 7.5;
const LABEL = "#444444";
/** White text on each of these colours has a contrast of at least 4.5:1. */
const BACKGROUNDS = { open: "#0b6e4f", draft: "#5f5f5f", evaluating: "#8a4b00", closed: "#5f5f5f" } as const;

export const getBadge = endpoint({
	method: "get",
	path: "/badges/tasks/{id}.svg",
	operationId: "getBadge",
	summary: "Show a task's badge",
	description: `A picture with the budget, the time left or the state, and the number of competitors, for pages and READMEs. ${MAY_BE_OLD}

In Markdown: \`![bounty](https://.../badges/tasks/<id>.svg)\`.`,
	tags: ["Public reading"],
	auth: "none",
	rate: "general",
	shared: { seconds: PUBLIC_MAX_AGE_SECONDS, of: "task" },
	params: idParams,
	response: {
		status: 200,
		description: "The picture.",
		schema: z.string(),
		contentType: "image/svg+xml",
		textSchemas: { "image/svg+xml": z.string() },
		...CACHED,
		headers: { ...CACHED.headers, "Content-Security-Policy": "Nothing in the picture can run or load anything." },
	},
	errors: ["NOT_FOUND"],
	page: "guides/public-reading",
	examples: {
		params: { id: ID.task },
		texts: { "image/svg+xml": drawBadge(exampleFeedTask, Date.parse(AT.submitted)) },
	},

	// A draft has no badge: it is 404 for everyone here.
	async handle(ctx, { params }) {
		const task = await findBadged(ctx, params.id);
		if (task === null || !canSeeTask(task, ANYONE, NO_PART)) throw taskNotFound();
		const headers = { "Content-Type": "image/svg+xml; charset=utf-8", "Content-Security-Policy": BADGE_POLICY };
		return new Response(drawBadge(task, ctx.clock.now()), { headers });
	},
});

function widthOf(text: string): number {
	const ofCharacter = (character: string) => WIDTHS.find(([characters]) => characters.includes(character))?.[1] ?? OTHER_WIDTH;
	return Math.round([...text].reduce((sum, character) => sum + ofCharacter(character), 0));
}

/** Draws budget, time left or state, and the number of competitors. Nothing in the picture is a text of a user. */
function drawBadge(task: BadgeFacts & { readonly budgetCents: number; readonly competitorCount: number }, now: number): string {
	const fields = [
		{ text: `bounty ${formatCents(task.budgetCents)}`, background: LABEL },
		{ text: describeState(task, now), background: BACKGROUNDS[task.status] },
		{ text: describeCompetitors(task.competitorCount), background: LABEL },
	];
	let x = 0;
	const placed = fields.map((field) => {
		const length = widthOf(field.text);
		const width = length + 2 * PADDING;
		x += width;
		return { ...field, text: escapeMarkup(field.text), length, width, x: x - width };
	});
	const name = escapeMarkup(fields.map(({ text }) => text).join(", "));
	const grounds = placed.map(
		({ x: left, width, background }) => `<rect x="${left}" width="${width}" height="${HEIGHT}" fill="${background}"/>`,
	);
	const texts = placed.map(({ x: left, length, text }) => `<text x="${left + PADDING}" y="14" textLength="${length}">${text}</text>`);
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${x}" height="${HEIGHT}" viewBox="0 0 ${x} ${HEIGHT}" role="img" aria-label="${name}">
<title>${name}</title>
<clipPath id="round"><rect width="${x}" height="${HEIGHT}" rx="3"/></clipPath>
<g clip-path="url(#round)">${grounds.join("")}</g>
<g fill="#ffffff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="${FONT_SIZE}">${texts.join("")}</g>
</svg>
`;
}
