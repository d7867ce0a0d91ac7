// Tests the feed of open tasks as feed readers read it.

import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { createApp } from "../../support/app.ts";
import { createClient } from "../../support/client.ts";
import { testDeps } from "../../support/deps.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { createDraft, hoursFromNow, openTask, registerAgent } from "../../support/scenario.ts";
import { seedTasks } from "../../support/seed.ts";
import { measure } from "../../support/use.ts";

const poster = await registerAgent("Acme");
const nobody = createClient();
let categories = 0;
/** Each test has its own category, because other tests may have read the feed of all tasks just before. */
const newCategory = () => `feed-${crypto.randomUUID().slice(0, 8)}-${++categories}`;

const HOSTILE = {
	title: `]]></title><script>alert("1")</script> & 'quoted' \u202a`.replace("\u202a", ""),
	description: "<img src=x onerror=alert(1)>\r\n]]> &amp; \u0001\u0008\u001b\ufffe\uffff 😀 <!--\nLast line",
};

async function readRss(category: string) {
	const response = await nobody.send("getRssFeed", { query: { category } });
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toBe("application/rss+xml; charset=utf-8");
	const text = await response.text();
	expect(XMLValidator.validate(text)).toBe(true);
	const parser = new XMLParser({ ignoreAttributes: false, isArray: (name) => name === "item", parseTagValue: false, trimValues: false });
	return { text, channel: parser.parse(text).rss.channel };
}

describe("the feed", () => {
	it("lists open tasks newest first, with links to their pages, budget and deadline", async () => {
		const category = newCategory();
		const deadline = hoursFromNow(72);
		const first = await openTask(poster, { category, title: "First", description: "What it is about." });
		await createDraft(poster, { category, title: "Draft" });
		await poster.call("closeTask", { params: { id: await openTask(poster, { category, title: "Closed" }) } });
		const second = await openTask(poster, {
			category: category.toUpperCase(),
			title: "Second",
			description: null,
			budget_cents: 123_450,
			deadline,
		});
		await openTask(poster, { category: newCategory() });
		const terms = `The poster offers $1,234.50; the agent it chooses would get $1,111.05. Deadline: ${deadline.slice(0, 10)} ${deadline.slice(11, 16)} UTC.`;
		const { channel } = await readRss(category);
		expect(channel).toMatchObject({
			title: `Bounty Platform: open tasks in ${category}`,
			link: "https://bounty.test/tasks",
			language: "en",
		});
		expect(channel["atom:link"]).toEqual({
			"@_href": `https://bounty.test/feeds/tasks.xml?category=${category}`,
			"@_rel": "self",
			"@_type": "application/rss+xml",
		});
		expect(channel.item).toHaveLength(2);
		expect(channel.item[0]).toMatchObject({
			title: "Second",
			link: `https://bounty.test/tasks/${second}`,
			guid: { "#text": `urn:uuid:${second}`, "@_isPermaLink": "false" },
			category,
			description: `<p>${terms}</p>`,
		});
		expect(channel.item[1]).toMatchObject({
			title: "First",
			guid: { "#text": `urn:uuid:${first}` },
			description: expect.stringMatching(
				/^<p>The poster offers \$500; the agent it chooses would get \$450\. Deadline: .* UTC\.<\/p><p>What it is about\.<\/p>$/,
			),
		});
		expect(channel.item[0].pubDate).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
	});

	it("carries any text without letting it become markup", async () => {
		const category = newCategory();
		await openTask(poster, { ...HOSTILE, category });
		const { text, channel } = await readRss(category);
		expect(channel.item).toHaveLength(1);
		expect(channel.item[0].title).toBe(HOSTILE.title);
		// A reader parses the description as HTML, and there it must be text again.
		expect(channel.item[0].description).toContain("<p>&lt;img src=x onerror=alert(1)&gt;<br>]]&gt; &amp;amp;  😀 &lt;!--<br>Last line</p>");
		expect(channel.item[0].description.match(/<(?!\/?p>|br>)/)).toBeNull();
		expect(text).not.toMatch(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
		expect(text).not.toMatch(/<script|<img|CDATA/);
	});

	it("escapes a category in its own links, and is empty without tasks", async () => {
		const category = `r&d "<x>' ${newCategory()}`;
		const { channel } = await readRss(category);
		expect(channel.title).toBe(`Bounty Platform: open tasks in ${category}`);
		expect(new URL(channel["atom:link"]["@_href"]).searchParams.get("category")).toBe(category);
		expect(channel.item).toBeUndefined();
	});

	it("cuts long descriptions at whole characters", async () => {
		const category = newCategory();
		await openTask(poster, { category, description: "😀".repeat(3_000) });
		expect((await readRss(category)).channel.item[0].description).toMatch(new RegExp(`<p>${"😀".repeat(1_999)}…</p>$`, "u"));
	});

	it("has at most a hundred tasks, and costs the same for any number", async () => {
		const cost = async (query: Readonly<Record<string, string>>) => {
			const app = createApp(() => testDeps({ clock: manualClock() }));
			return measure(async () => app.fetch(new Request(`https://bounty.test/feeds/tasks.xml?${new URLSearchParams(query)}`)));
		};
		const start = Date.parse("2070-01-01T00:00:00.000Z");
		const rows = async () => [await cost({}), await cost({ category: "seeded" })].map(({ d1_rows_read }) => d1_rows_read);
		await seedTasks({ posterId: poster.agentId, from: 1, to: 1_000, start });
		const few = await rows();
		await seedTasks({ posterId: poster.agentId, from: 1_001, to: 20_000, start });
		expect(await rows()).toEqual(few);
		expect(Math.max(...few)).toBeLessThanOrEqual(220);
		expect(await cost({})).toMatchObject({ status: 200, d1_calls: 1, d1_rows_written: 0 });
		expect((await readRss("seeded")).channel.item).toHaveLength(100);
	});

	it("leaves out a task from its deadline on, before it is closed", async () => {
		const category = newCategory();
		await openTask(poster, { category, deadline: hoursFromNow(25) });
		const clock = manualClock();
		const app = createApp(() => testDeps({ clock }));
		const reader = createClient({ fetch: (request) => app.fetch(request) });
		const count = async () => (await (await reader.send("getRssFeed", { query: { category } })).text()).split("<item>").length - 1;
		expect(await count()).toBe(1);
		clock.advance(25 * 3_600_000);
		expect(await count()).toBe(0);
	});

	it("refuses a category that no task can have", async () => {
		for (const category of ["", "x".repeat(65), "two\nlines"]) {
			await nobody.refused("getRssFeed", "VALIDATION_ERROR", { query: { category } });
		}
	});
});
