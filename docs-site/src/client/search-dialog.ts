const BASE_URL = "{base_url}";

/** Names the input of the search dialog for screen readers, and shows the reader's origin in its results. */
export function repairSearch(): void {
	const place = document.getElementById("starlight__search");
	if (!place) return;
	// Pagefind makes the input when the page is idle, and gives it a title only.
	const observer = new MutationObserver(() => {
		place.querySelector("input:not([aria-label])")?.setAttribute("aria-label", "Search");
		fillOrigin(place);
	});
	observer.observe(place, { childList: true, subtree: true });
}

/** The search index is a static file, so the Worker cannot fill in the origin there as it does in pages. */
function fillOrigin(place: Element): void {
	const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
	for (let node = texts.nextNode(); node; node = texts.nextNode())
		if (node.nodeValue?.includes(BASE_URL)) node.nodeValue = node.nodeValue.replaceAll(BASE_URL, location.origin);
}
