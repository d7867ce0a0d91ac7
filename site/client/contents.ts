// Marks in the table of contents which part of the page is being read.
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
