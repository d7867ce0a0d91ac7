// Shows the stored theme before the page appears, so this small script is not deferred.
import { parseTheme, THEME_ITEM } from "../../src/domain/theme.ts";

try {
	document.documentElement.dataset["theme"] = parseTheme(localStorage.getItem(THEME_ITEM));
} catch {
	// A browser that blocks storage follows the system.
}
