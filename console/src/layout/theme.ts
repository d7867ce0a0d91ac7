// The console follows the system's light or dark theme, unless the reader chose one here, on a public page or in the documentation.
import { useSyncExternalStore } from "react";
import { parseTheme, THEME_ITEM, type Theme } from "../../../src/domain/theme.ts";

const listeners = new Set<() => void>();

const readTheme = (): Theme => parseTheme(localStorage.getItem(THEME_ITEM));

/** Applies the stored theme by setting an attribute, which the style sheet's tokens depend on. */
export function applyTheme(): void {
	document.documentElement.dataset["theme"] = readTheme();
	for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
	localStorage.setItem(THEME_ITEM, theme);
	applyTheme();
}

/** A choice in another tab applies here too. */
addEventListener("storage", ({ key }) => {
	if (key === THEME_ITEM) applyTheme();
});

export function useTheme(): Theme {
	return useSyncExternalStore((onChange) => {
		listeners.add(onChange);
		return () => listeners.delete(onChange);
	}, readTheme);
}
