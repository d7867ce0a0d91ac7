// Writes the sentence and the table of each group on the page of settings. The rest of the page is written by hand.
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";

export const SETTINGS_PAGE = "docs/pages/operating/configuration.mdx";

const HEAD = "| Name | Default | If invalid | Meaning |\n|---|---|---|---|\n";

/**
 * Replaces the first paragraph and the table below the heading of each group.
 *
 * @throws Error that names a group that the page lacks.
 */
export function writeSettings(page: string): string {
	const listed = listSettings(settings);
	return [...new Set(listed.map(({ group }) => group))].reduce((written, group) => {
		const rows = listed.filter((setting) => setting.group === group).map(formatRow);
		const place = new RegExp(`^(#+ ${RegExp.escape(group.heading)}\\n\\n)[^#|\\n].*\\n((?:(?!#|\\|).*\\n)*)(?:\\|.*\\n)+`, "m");
		if (!place.test(written)) throw new Error(`${SETTINGS_PAGE} has no heading "${group.heading}" with a paragraph and a table.`);
		return written.replace(place, (_, heading: string, prose: string) => `${heading}${group.about}\n${prose}${HEAD}${rows.join("")}`);
	}, page);
}

function formatRow({ variable, isSecret, need, defaultText, ifInvalid, meaning }: ReturnType<typeof listSettings>[number]): string {
	const byDefault = need ?? (defaultText === null || defaultText === "" ? "none" : `\`${defaultText}\``);
	const effect = typeof ifInvalid === "string" ? ifInvalid : `closed: ${ifInvalid.closes}`;
	return `| \`${variable}\`${isSecret === true ? ", a secret" : ""} | ${byDefault} | ${effect} | ${meaning} |\n`;
}
