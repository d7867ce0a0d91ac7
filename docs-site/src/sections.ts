import { readFileSync } from "node:fs";

export interface Section {
	readonly section: string;
	readonly pages: readonly string[];
}

/** Returns the sections of the navigation from docs/pages/order.json. `scripts/site/pages.ts` checks the file. */
export function readSections(): readonly Section[] {
	const file = new URL("../../docs/pages/order.json", import.meta.url);
	return JSON.parse(readFileSync(file, "utf8"));
}
