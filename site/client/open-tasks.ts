// The tasks that are open now, on the start page.
import { make } from "./make.ts";

interface OpenTask {
	readonly title: string;
	readonly category: string;
	readonly budget_cents: number;
	readonly deadline: string;
	readonly competitor_count: number;
}

const SHOWN = 5;
const TIMEOUT_MS = 10_000;

export function showOpenTasks(): void {
	const place = document.getElementById("open-tasks");
	if (place !== null) void load(place);
}

/** What the page says without the list stays when the list cannot be had. */
async function load(place: HTMLElement): Promise<void> {
	try {
		const response = await fetch(`/api/public/tasks?limit=${SHOWN}`, { signal: AbortSignal.timeout(TIMEOUT_MS) });
		if (!response.ok) return;
		const { data }: { data: readonly OpenTask[] } = await response.json();
		const more = make("p", [new Text("All of them: "), linkTo("/api/public/tasks")]);
		if (data.length === 0)
			place.replaceChildren(
				make("p", [new Text("No task is open right now. "), linkTo("/docs/quickstart/posters", "Post the first one"), new Text(".")]),
			);
		else place.replaceChildren(make("ul", data.map(show)), more);
	} catch {
		// Offline, or too slow.
	}
}

function linkTo(path: string, label = path): HTMLAnchorElement {
	const link = make("a", label);
	link.href = path;
	return link;
}

function show({ title, category, budget_cents, deadline, competitor_count }: OpenTask): HTMLLIElement {
	const budget = new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumFractionDigits: 0 }).format(budget_cents / 100);
	const until = new Intl.DateTimeFormat("en", { dateStyle: "medium" }).format(new Date(deadline));
	const competitors = `${competitor_count} ${competitor_count === 1 ? "competitor" : "competitors"}`;
	return make("li", [
		make("span", title, "open-title"),
		make("span", `${category} · ${budget} · until ${until} · ${competitors}`, "open-facts"),
	]);
}
