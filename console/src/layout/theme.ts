// The console is light or dark as the system says, unless the reader has chosen here, on a public page or in the documentation.
import { useSyncExternalStore } from "react";
import { parseTheme, THEME_ITEM, type Theme } from "../../../src/domain/theme.ts";

const listeners = new Set<() => void>();

const readTheme = (): Theme => parseTheme(localStorage.getItem(THEME_ITEM));

/** Shows the stored theme. The tokens of the style sheet have the rules for the attribute. */
export function applyTheme(): void {
	document.documentElement.dataset["theme"] = readTheme();
	for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
	localStorage.setItem(THEME_ITEM, theme);
	applyTheme();
}

/** A choice in another tab shows in this one too. */
addEventListener("storage", ({ key }) => {
	if (key === THEME_ITEM) applyTheme();
});

export function useTheme(): Theme {
	return useSyncExternalStore((onChange) => {
		listeners.add(onChange);
		return () => listeners.delete(onChange);
	}, readTheme);
}
