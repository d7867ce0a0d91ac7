// The search dialog: "/" or Ctrl+K opens it, arrows walk through the results, which are links.
import { make } from "./make.ts";

interface Hit {
	readonly slug: string;
	readonly title: string;
	readonly description: string | null;
	readonly snippet: string;
}

interface Parts {
	readonly dialog: HTMLDialogElement;
	readonly input: HTMLInputElement;
	readonly status: HTMLElement;
	readonly results: HTMLElement;
}

const TYPING_MS = 150;
const MAX_RESULTS = 10;

export function addSearch(): void {
	const parts = findParts();
	if (parts === null) return;
	const { dialog, input } = parts;
	const open = () => {
		dialog.showModal();
		input.select();
	};
	document.querySelector(".search-open")?.addEventListener("click", open);
	dialog.querySelector(".search-close")?.addEventListener("click", () => dialog.close());
	dialog.querySelector("form")?.addEventListener("submit", (event) => {
		event.preventDefault();
		linksIn(parts)[0]?.click();
	});
	// A click on the dialog itself is one beside its content: on the backdrop.
	dialog.addEventListener("click", (event) => {
		if (event.target === dialog) dialog.close();
	});
	dialog.addEventListener("keydown", (event) => {
		// In a search field, browsers would have it empty the field first.
		if (event.key === "Escape") dialog.close();
		else walk(event, parts);
	});
	document.addEventListener("keydown", (event) => {
		if (!dialog.open && isShortcut(event)) {
			event.preventDefault();
			open();
		}
	});
	input.addEventListener("input", searchWhileTyping(parts));
}

function findParts(): Parts | null {
	const dialog = document.querySelector<HTMLDialogElement>("#site-search");
	const input = dialog?.querySelector("input");
	const status = dialog?.querySelector<HTMLElement>(".search-status");
	const results = dialog?.querySelector<HTMLElement>(".search-results");
	return dialog && input && status && results ? { dialog, input, status, results } : null;
}

function isShortcut(event: KeyboardEvent): boolean {
	if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) return true;
	const target = event.composedPath()[0];
	const isTyping = target instanceof Element && target.matches("input, textarea, select, [contenteditable]");
	return event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
}

function linksIn({ results }: Parts): HTMLAnchorElement[] {
	return [...results.querySelectorAll("a")];
}

function walk(event: KeyboardEvent, parts: Parts): void {
	if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
	const places = [parts.input, ...linksIn(parts)];
	const at = places.findIndex((place) => place.matches(":focus"));
	const next = places[at + (event.key === "ArrowDown" ? 1 : -1)];
	if (next === undefined) return;
	event.preventDefault();
	next.focus();
}

/** Asks once the typing pauses. An answer that comes after a newer question is dropped. */
function searchWhileTyping(parts: Parts): () => void {
	let timer = 0;
	let asked = new AbortController();
	return () => {
		clearTimeout(timer);
		asked.abort();
		asked = new AbortController();
		const { signal } = asked;
		const query = parts.input.value.trim();
		if (query === "") show(parts, [], "");
		else timer = setTimeout(() => void search(parts, query, signal), TYPING_MS);
	};
}

async function search(parts: Parts, query: string, signal: AbortSignal): Promise<void> {
	try {
		const response = await fetch(`/api/v1/docs/search?${new URLSearchParams({ q: query, limit: String(MAX_RESULTS) })}`, { signal });
		if (response.status === 429) return show(parts, [], "Too many searches at once. Wait a moment and type on.");
		if (!response.ok) throw new Error(`Searching answered ${response.status}.`);
		const { hits }: { hits: readonly Hit[] } = await response.json();
		const count = hits.length === 0 ? `Nothing found for “${query}”.` : `${hits.length} ${hits.length === 1 ? "page" : "pages"}`;
		show(
			parts,
			hits.map((hit) => showHit(hit, query)),
			count,
		);
	} catch {
		if (!signal.aborted) show(parts, [], "Searching does not work right now.");
	}
}

function show({ status, results }: Parts, items: readonly HTMLElement[], message: string): void {
	results.replaceChildren(...items);
	status.textContent = message;
}

function showHit({ slug, title, description, snippet }: Hit, query: string): HTMLLIElement {
	// The snippet is a piece of Markdown: without its marks of code and tables it reads as text.
	const text = snippet.replaceAll(/[`|]+/g, " ") || (description ?? "");
	const isExact = [title, text].some((part) => part.toLowerCase().includes(query.toLowerCase()));
	const terms = isExact ? [query] : query.split(/\s+/);
	const link = make("a", [make("strong", markMatches(title, terms)), make("span", markMatches(text, terms))]);
	link.href = slug === "index" ? "/docs" : `/docs/${slug.split("/").map(encodeURIComponent).join("/")}`;
	return make("li", [link]);
}

/** The text with every place that matches one of the terms marked. */
function markMatches(text: string, terms: readonly string[]): Node[] {
	const pattern = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")).join("|");
	// The odd pieces are what the group caught.
	return text.split(new RegExp(`(${pattern})`, "iu")).map((piece, index) => (index % 2 === 1 ? make("mark", piece) : new Text(piece)));
}
