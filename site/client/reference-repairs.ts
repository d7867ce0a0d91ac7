// Names and tab stops that the viewer's markup lacks, set as its parts appear.

/** Each part of the viewer that lacks something, with what gives it. A repair is done again when the viewer makes the part anew. */
const REPAIRS: Readonly<Record<string, (element: Element) => void>> = {
	select: (element) => nameBy(element, nameOfSelect(element)),
	"input:not([id]), textarea": (element) => nameBy(element, nameOfField(element)),
	// Each credential's field takes the focus as it appears, so the last one has it, below the fold.
	".dialog-ux:not([data-entered])": (element) => {
		element.setAttribute("data-entered", "");
		element.querySelector("input")?.focus();
	},
	".close-modal": (element) => nameBy(element, "Close"),
	".json-schema-2020-12-accordion": (element) => {
		if (element.textContent.trim() === "") nameBy(element, "Schema");
	},
	// Its label hides the text that it shows.
	".modal-btn[aria-label]": (element) => element.removeAttribute("aria-label"),
	"pre, .table-container, .responses-inner, .json-schema-2020-12": giveTabStop,
	// A table that claims to be a region of the page, one for each operation and all of them nameless.
	"table[role=region]": (element) => element.removeAttribute("role"),
};

export function repair(root: Element): void {
	const repairAll = () => {
		for (const [selector, mend] of Object.entries(REPAIRS)) for (const element of root.querySelectorAll(selector)) mend(element);
	};
	new MutationObserver(repairAll).observe(root, { childList: true, subtree: true });
	repairAll();
}

function giveTabStop(element: Element): void {
	if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "0");
}

function nameBy(element: Element, name: string): void {
	if (!element.hasAttribute("aria-label")) element.setAttribute("aria-label", name);
}

function nameOfSelect(element: Element): string {
	if (element.matches(".content-type")) return "Media type";
	if (element.matches(".examples-select-element")) return "Example";
	return nameOfField(element);
}

function nameOfField(element: Element): string {
	if (element.matches(".operation-filter-input")) return "Filter by group or path";
	const parameter = element.closest("tr")?.querySelector(".parameter__name")?.firstChild?.textContent;
	return parameter ?? (element.matches("textarea") ? "Request body" : "Value");
}
