// Reads a pasted GitHub issue: its title, its text, and the list items that can become criteria. Nothing is sent anywhere.
import { type Draft, emptyCriterion } from "./draft.ts";
import { distributeRest } from "./rubric.ts";

export interface Issue {
	readonly title: string;
	readonly body: string;
	/** The list items that state the requirements, without list markers. */
	readonly items: readonly string[];
}

const MAX_PASTED_CHARACTERS = 100_000;
const MAX_TITLE = 200;
const MAX_BODY = 10_000;
const MAX_ITEMS = 12;
const MAX_NAME = 80;
/** Titles and items are cut to this length, because some patterns take time quadratic in a line's length. */
const MAX_LINE = 2_000;
/** A line that GitHub shows around the text, if someone copies the whole page. */
const FURNITURE =
	/^(?:open|closed|#\d+|issue body actions|labels?|assignees?|no one assigned|\d+ comments?|.{1,40} opened .{0,80}|.{1,40} commented .{0,40})$/i;
const ITEM = /^\s{0,12}(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(\S.*)$/;
const WANTED = /accept|criteria|require|must|expected|definition of done|goal|tasks?\b|to-?do/i;

/** Reads the first line with text as the title, and the rest as the text. Returns null without a title. */
export function parseIssue(pasted: string): Issue | null {
	const lines = pasted.slice(0, MAX_PASTED_CHARACTERS).replaceAll("\r\n", "\n").split("\n");
	const first = lines.findIndex((line) => line.trim() !== "" && !FURNITURE.test(line.trim()));
	if (first === -1) return null;
	const title = (lines[first] ?? "")
		.trim()
		.slice(0, MAX_LINE)
		.replace(/^#{1,6}\s+/, "")
		.replace(/\s+#\d+\s*$/, "")
		.replace(/^title:\s*/i, "")
		.trim()
		.slice(0, MAX_TITLE)
		.toWellFormed();
	const rest = lines.slice(first + 1);
	const start = rest.findIndex((line) => line.trim() !== "" && !FURNITURE.test(line.trim()));
	const kept = start === -1 ? [] : rest.slice(start);
	return title === "" ? null : { title, body: kept.join("\n").trim().slice(0, MAX_BODY).toWellFormed(), items: findItems(kept) };
}

/** Finds list items outside of code. If there are items under a heading such as "Acceptance criteria" or "Tasks", only those count. */
function findItems(lines: readonly string[]): readonly string[] {
	const all: { readonly text: string; readonly isWanted: boolean }[] = [];
	let isCode = false;
	let isWanted = false;
	for (const line of lines.map((whole) => whole.slice(0, MAX_LINE))) {
		if (/^\s{0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
		else if (!isCode) {
			const item = ITEM.exec(line)?.[1];
			if (item !== undefined) all.push({ text: plainText(item), isWanted });
			else if (/^\s{0,3}#{1,6}\s|^\*\*.+\*\*:?\s*$|:\s*$/.test(line)) isWanted = WANTED.test(line);
		}
	}
	const wanted = all.filter((item) => item.isWanted);
	const texts = (wanted.length > 0 ? wanted : all).map(({ text }) => text).filter((text) => text !== "");
	return [...new Set(texts)].slice(0, MAX_ITEMS);
}

/** Removes Markdown syntax from a line. */
function plainText(line: string): string {
	return line
		.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
		.replaceAll(/[*_`~]/g, "")
		.trim();
}

/** Fills a draft with the title, text and items of an issue. Each item becomes a criterion, all with about the same weight. */
export function applyIssue(draft: Draft, { title, body, items }: Issue, newKey: () => string): Draft {
	const names = nameItems(items);
	const criteria = items.map((text, index) => ({ ...emptyCriterion(newKey()), name: names[index] ?? text, description: text }));
	return { ...draft, title, description: body, ...(criteria.length === 0 ? {} : { criteria: distributeRest(criteria) }) };
}

/** Shortens list items to unique names. Duplicates are numbered. */
function nameItems(items: readonly string[]): readonly string[] {
	const taken = new Set<string>();
	for (const text of items) {
		const short = (text.length <= MAX_NAME ? text : `${text.slice(0, MAX_NAME - 1).replace(/\s+\S*$/, "")}…`)
			.replace(/[.;:,]$/, "")
			.trim()
			.toWellFormed();
		const name = short === "" ? "Criterion" : short;
		let free = name;
		for (let number = 2; taken.has(free); number += 1) free = `${name} (${number})`;
		taken.add(free);
	}
	return [...taken];
}
