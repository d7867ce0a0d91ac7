// Writes the table of extensions in docs/architecture.md. The rest of the page is written by hand.
import { EXTENSIONS } from "../../src/compose/joints/extensions.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { EVENTS } from "../../src/domain/events.ts";
import { type Owned, ownerOf } from "../../src/domain/owners.ts";

export const ARCHITECTURE_PAGE = "docs/architecture.md";

const HEAD = "| Extension | What for | Operations | Events, settings | Requires |\n|---|---|---|---|---|\n";
const TABLE = /^\| Extension \|.*\n(?:\|.*\n)+/m;

/** @throws Error if the page has no table of extensions. */
export function writeExtensions(page: string): string {
	if (!TABLE.test(page)) throw new Error(`${ARCHITECTURE_PAGE} has no table of extensions.`);
	return page.replace(TABLE, () => HEAD + EXTENSIONS.map(formatRow).join(""));
}

function formatRow({ name, purpose, requires = [], endpoints }: (typeof EXTENSIONS)[number]): string {
	const events: [string, Owned][] = Object.entries(EVENTS);
	const rows = [
		...events.filter(([, event]) => ownerOf(event) === name).map(([event]) => event),
		...listSettings(settings).flatMap((setting) => (ownerOf(setting) === name ? setting.variable : [])),
	];
	const operations = Object.keys(endpoints).length;
	return `| \`${name}\` | ${purpose} | ${operations || ""} | ${rows.map((row) => `\`${row}\``).join(", ")} | ${requires.join(", ")} |\n`;
}
