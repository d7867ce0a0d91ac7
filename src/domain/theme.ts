// Pages follow the system's light or dark theme, unless the reader has chosen one. The public pages, the documentation and the console
// share one choice.

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

/** The key under which the browser's local storage keeps the choice of a theme. */
export const THEME_ITEM = "theme";
export const THEME_NAMES: Readonly<Record<Theme, string>> = { system: "System", light: "Light", dark: "Dark" };

/** Parses a stored choice. Returns `system` if there is none, or if its value is unknown. */
export function parseTheme(stored: string | null): Theme {
	return THEMES.find((theme) => theme === stored) ?? "system";
}
