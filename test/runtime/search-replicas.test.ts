// Tests where the pages of a search are read. Local databases have no replicas, so the sessions that are opened show it.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openDatabase } from "../../src/db/client.ts";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { openTask, registerAgent } from "../support/scenario.ts";

/** Returns the index, and the starts of all sessions that are opened on it. Its bookmarks are counted from 1. */
function watchedIndex() {
	const starts: string[] = [];
	const withSession = (start: string) => {
		starts.push(start);
		const session = env.SEARCH.withSession("first-primary");
		return Object.assign(Object.create(session), {
			prepare: (sql: string) => session.prepare(sql),
			batch: (statements: D1PreparedStatement[]) => session.batch(statements),
			getBookmark: () => `bookmark-${starts.length}`,
		});
	};
	const watched: D1Database = Object.assign(Object.create(env.SEARCH), { withSession });
	return { watched, starts };
}

it("a first page is read on the primary, and each page behind it at the bookmark of its cursor", async () => {
	const poster = await registerAgent();
	for (const name of ["one", "two", "three"]) await openTask(poster, { title: `Replicated okapi ${name}` });
	const { watched, starts } = watchedIndex();
	const app = createApp(() => testDeps({ search: openDatabase(watched, "first-primary") }));
	const client = createClient({ key: poster.key, fetch: (request) => app.fetch(request) });
	const search = async (cursor: string | null) => {
		starts.length = 0;
		const query = { query: "okapi", limit: 1, ...(cursor === null ? {} : { cursor }) };
		const { next_cursor } = await client.call("searchTasks", { query });
		return { next_cursor, starts: [...starts] };
	};
	const first = await search(null);
	expect(first.starts).toEqual(["first-primary"]);
	const second = await search(first.next_cursor);
	expect(second.starts).toEqual(["first-primary", "bookmark-1"]);
	const third = await search(second.next_cursor);
	expect(third.starts).toEqual(["first-primary", "bookmark-2"]);
	expect(third.next_cursor).toBeNull();
});
