// Pages are light or dark as the system says, unless the reader has chosen. The public pages, the documentation and the console share one
// choice.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The browser stores the choice under this name. */
export const THEME_ITEM = "theme";
export const THEME_NAMES: Readonly<Record<Theme, string>> = { system: "As the system", light: "Light", dark: "Dark" };

/** Reads a stored choice. A browser that has stored nothing, or an unknown text, follows the system. */
export function parseTheme(stored: string | null): Theme {
	return THEMES.find((theme) => theme === stored) ?? "system";
}
