// Implements the theme choice in the header. Without scripts it is hidden, and the page follows the system.
import { parseTheme, THEME_ITEM } from "../../src/domain/theme.ts";

/** Makes the page's theme choice work, and follows a choice in another tab. */
export function addThemeChoice(): void {
	const root = document.documentElement;
	const choices = document.querySelectorAll<HTMLSelectElement>("[data-theme-choice]");
	// A framed page uses the theme that the surrounding site requests.
	if (choices.length === 0) return;
	const show = (stored: string | null) => {
		const theme = parseTheme(stored);
		root.dataset["theme"] = theme;
		for (const choice of choices) choice.value = theme;
	};
	for (const choice of choices) {
		choice.addEventListener("change", () => {
			localStorage.setItem(THEME_ITEM, choice.value);
			show(choice.value);
		});
	}
	addEventListener("storage", ({ key, newValue }) => {
		if (key === THEME_ITEM) show(newValue);
	});
	show(root.dataset["theme"] ?? null);
}
