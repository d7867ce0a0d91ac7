/** Names the input of the search dialog for screen readers. Pagefind makes it when the page is idle, and gives it a title only. */
export function labelSearch(): void {
	const place = document.getElementById("starlight__search");
	if (!place) return;
	const observer = new MutationObserver(() => {
		const input = place.querySelector("input");
		if (!input) return;
		input.setAttribute("aria-label", "Search");
		observer.disconnect();
	});
	observer.observe(place, { childList: true, subtree: true });
}
