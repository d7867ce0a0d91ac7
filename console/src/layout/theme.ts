// Light or dark: as the system says, unless the reader has chosen.
import { useSyncExternalStore } from "react";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const ITEM = "console.theme";
const listeners = new Set<() => void>();

function readTheme(): Theme {
	const stored = localStorage.getItem(ITEM);
	return THEMES.find((theme) => theme === stored) ?? "system";
}

/** Shows the stored theme. styles/frame.css has the rules for the attribute. */
export function applyTheme(): void {
	document.documentElement.dataset["theme"] = readTheme();
}

export function chooseTheme(theme: Theme): void {
	localStorage.setItem(ITEM, theme);
	applyTheme();
	for (const listener of listeners) listener();
}

export function useTheme(): Theme {
	return useSyncExternalStore((onChange) => {
		listeners.add(onChange);
		return () => listeners.delete(onChange);
	}, readTheme);
}
