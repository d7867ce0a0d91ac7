// Writes the tables on the page of settings. The prose between them is written by hand.
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";

/** The page has this path from the project's root. */
export const SETTINGS_PAGE = "docs/pages/operating/configuration.mdx";

const HEAD = "| Name | Default | Meaning |\n|---|---|---|\n";

/**
 * Replaces the table below each heading that settings name as their section.
 *
 * @throws Error that names a section without a heading and a table on the page.
 */
export function writeSettings(page: string): string {
	const listed = listSettings(settings);
	return [...new Set(listed.map(({ section }) => section))].reduce((written, section) => {
		const rows = listed.filter((setting) => setting.section === section).map(formatRow);
		const place = new RegExp(`^(#+ ${RegExp.escape(section)}\\n(?:(?!#|\\|).*\\n)*)(?:\\|.*\\n)+`, "m");
		if (!place.test(written)) throw new Error(`${SETTINGS_PAGE} has no heading "${section}" with a table.`);
		return written.replace(place, (_, before: string) => `${before}${HEAD}${rows.join("")}`);
	}, page);
}

function formatRow({ variable, isSecret, need, defaultText, meaning }: ReturnType<typeof listSettings>[number]): string {
	const byDefault = need ?? (defaultText === null || defaultText === "" ? "none" : `\`${defaultText}\``);
	return `| \`${variable}\`${isSecret === true ? ", a secret" : ""} | ${byDefault} | ${meaning} |\n`;
}
