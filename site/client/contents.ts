// Shows where the reader is: the page in the navigation, the part of it in the table of contents.

/** Scrolls the navigation until its current page can be seen. Not by `scrollIntoView`: keyboards would go on from there. */
export function showCurrentPage(): void {
	const navigation = document.querySelector(".docs-nav");
	const current = navigation?.querySelector<HTMLElement>("[aria-current]");
	if (navigation && current) navigation.scrollTop = current.offsetTop - navigation.clientHeight / 2;
}

export function followContents(): void {
	const links = new Map(
		[...document.querySelectorAll<HTMLAnchorElement>(".toc a")].map((link) => [decodeURIComponent(link.hash.slice(1)), link]),
	);
	const headings = [...links.keys()].map((id) => document.getElementById(id)).filter((heading) => heading !== null);
	if (headings.length === 0) return;
	// A heading counts from when it reaches the upper third of the window.
	const observer = new IntersectionObserver(() => mark(headings, links), { rootMargin: "0px 0px -66% 0px" });
	for (const heading of headings) observer.observe(heading);
}

function mark(headings: readonly HTMLElement[], links: ReadonlyMap<string, HTMLAnchorElement>): void {
	const line = innerHeight / 3;
	const current = headings.findLast((heading) => heading.getBoundingClientRect().top < line) ?? headings[0];
	for (const [id, link] of links) link.classList.toggle("current", id === current?.id);
}
