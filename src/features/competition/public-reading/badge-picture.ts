// A task's badge: an SVG of three fields, for pages and READMEs elsewhere.
import { type Badged, describeCompetitors, describeState, escapeMarkup, formatBudget } from "./rules.ts";

interface BadgedTask extends Badged {
	readonly budgetCents: number;
	readonly competitorCount: number;
}

const HEIGHT = 20;
const PADDING = 7;
const FONT_SIZE = 11;
/** Widths in Verdana of 11 px. `textLength` makes every other font fit. */
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
/** White text on each of them has a contrast of at least 4.5:1. */
const BACKGROUNDS = { open: "#0b6e4f", draft: "#5f5f5f", evaluating: "#8a4b00", closed: "#5f5f5f" } as const;

function widthOf(text: string): number {
	const ofCharacter = (character: string) => WIDTHS.find(([characters]) => characters.includes(character))?.[1] ?? OTHER_WIDTH;
	return Math.round([...text].reduce((sum, character) => sum + ofCharacter(character), 0));
}

/** Budget, time left or state, and number of competitors. Nothing in it is a text of a user. */
export function drawBadge(task: BadgedTask, now: number): string {
	const fields = [
		{ text: `bounty ${formatBudget(task.budgetCents)}`, background: LABEL },
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
