// Tests feeds of open tasks and badges as feed readers and browsers read them.

import { XMLParser, XMLValidator } from "fast-xml-parser";
import { describe, expect, it } from "vitest";
import { createApp, operations } from "../support/app.ts";
import { type Client, createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { manualClock } from "../support/manual-clock.ts";
import { awaitEvaluation, createDraft, hoursFromNow, openTask, registerAgent, submit } from "../support/scenario.ts";
import { seedTasks } from "../support/seed.ts";
import { measure } from "../support/use.ts";

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

async function readJson(category: string) {
	const response = await nobody.send("getJsonFeed", { query: { category } });
	expect(response.status).toBe(200);
	expect(response.headers.get("Content-Type")).toBe("application/feed+json; charset=utf-8");
	const body: unknown = await response.json();
	const feed = operations.getJsonFeed.response.schema.parse(body);
	expect(body).toEqual(feed);
	return feed;
}

describe("the feeds", () => {
	it("list open tasks newest first, with links to their pages, budget and deadline", async () => {
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
		const json = await readJson(category);
		expect(json).toMatchObject({
			version: "https://jsonfeed.org/version/1.1",
			title: `Bounty Platform: open tasks in ${category}`,
			home_page_url: "https://bounty.test/tasks",
			feed_url: `https://bounty.test/feeds/tasks.json?category=${category}`,
		});
		expect(json.items.map(({ id, url, title, tags }) => ({ id, url, title, tags }))).toEqual(
			[second, first].map((id, index) => ({
				id: `urn:uuid:${id}`,
				url: `https://bounty.test/tasks/${id}`,
				title: ["Second", "First"][index],
				tags: [category],
			})),
		);
		const terms = `Budget: $1,234.50. Deadline: ${deadline.slice(0, 10)} ${deadline.slice(11, 16)} UTC.`;
		expect(json.items[0]).toMatchObject({ content_text: terms, _bounty: { budget_cents: 123_450, deadline, eval_mode: "llm" } });
		expect(json.items[1]?.content_text).toMatch(/^Budget: \$500\. Deadline: .* UTC\.\n\nWhat it is about\.$/);

		const { channel } = await readRss(category);
		expect(channel).toMatchObject({ title: json.title, link: json.home_page_url, language: "en" });
		expect(channel["atom:link"]).toEqual({
			"@_href": `https://bounty.test/feeds/tasks.xml?category=${category}`,
			"@_rel": "self",
			"@_type": "application/rss+xml",
		});
		expect(channel.item).toHaveLength(2);
		const published = new Date(json.items[0]?.date_published ?? "");
		published.setMilliseconds(0);
		expect(channel.item[0]).toMatchObject({
			title: "Second",
			link: `https://bounty.test/tasks/${second}`,
			guid: { "#text": `urn:uuid:${second}`, "@_isPermaLink": "false" },
			category,
			description: `<p>${terms}</p>`,
		});
		expect(new Date(channel.item[0].pubDate)).toEqual(published);
		expect(channel.item[0].pubDate).toMatch(/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/);
	});

	it("carry any text without letting it become markup", async () => {
		const category = newCategory();
		await openTask(poster, { ...HOSTILE, category });
		const [item] = (await readJson(category)).items;
		expect(item?.title).toBe(HOSTILE.title);
		expect(item?.content_text).toContain(HOSTILE.description);
		const { text, channel } = await readRss(category);
		expect(channel.item).toHaveLength(1);
		expect(channel.item[0].title).toBe(HOSTILE.title);
		// A reader parses the description as HTML, and there it must be text again.
		expect(channel.item[0].description).toContain("<p>&lt;img src=x onerror=alert(1)&gt;<br>]]&gt; &amp;amp;  😀 &lt;!--<br>Last line</p>");
		expect(channel.item[0].description.match(/<(?!\/?p>|br>)/)).toBeNull();
		expect(text).not.toMatch(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u);
		expect(text).not.toMatch(/<script|<img|CDATA/);
	});

	it("escape a category in their own links, and are empty without tasks", async () => {
		const category = `r&d "<x>' ${newCategory()}`;
		const { channel } = await readRss(category);
		expect(channel.title).toBe(`Bounty Platform: open tasks in ${category}`);
		expect(new URL(channel["atom:link"]["@_href"]).searchParams.get("category")).toBe(category);
		expect(channel.item).toBeUndefined();
		const feed = await readJson(category);
		expect(feed.items).toEqual([]);
		expect(new URL(feed.feed_url).searchParams.get("category")).toBe(category);
	});

	it("cut long descriptions at whole characters", async () => {
		const category = newCategory();
		await openTask(poster, { category, description: "😀".repeat(3_000) });
		const [, text] = (await readJson(category)).items[0]?.content_text.split("\n\n") ?? [];
		expect(text).toBe(`${"😀".repeat(1_999)}…`);
	});

	it("have at most a hundred tasks, and cost the same for any number", async () => {
		const cost = async (query: Readonly<Record<string, string>>) => {
			const app = createApp(() => testDeps({ clock: manualClock() }));
			return measure(async () => app.fetch(new Request(`https://bounty.test/feeds/tasks.json?${new URLSearchParams(query)}`)));
		};
		const start = Date.parse("2070-01-01T00:00:00.000Z");
		const rows = async () => [await cost({}), await cost({ category: "seeded" })].map(({ d1_rows_read }) => d1_rows_read);
		await seedTasks({ posterId: poster.agentId, from: 1, to: 1_000, start });
		const few = await rows();
		await seedTasks({ posterId: poster.agentId, from: 1_001, to: 20_000, start });
		expect(await rows()).toEqual(few);
		expect(Math.max(...few)).toBeLessThanOrEqual(220);
		expect(await cost({})).toMatchObject({ status: 200, d1_calls: 1, d1_rows_written: 0 });
		expect((await readJson("seeded")).items).toHaveLength(100);
	}, 60_000);

	it("leave out a task from its deadline on, before it is closed", async () => {
		const category = newCategory();
		await openTask(poster, { category, deadline: hoursFromNow(25) });
		const clock = manualClock();
		const app = createApp(() => testDeps({ clock }));
		const reader = createClient({ fetch: (request) => app.fetch(request) });
		const count = async () => (await (await reader.send("getJsonFeed", { query: { category } })).json<{ items: unknown[] }>()).items.length;
		expect(await count()).toBe(1);
		clock.advance(25 * 3_600_000);
		expect(await count()).toBe(0);
	});

	it("refuse a category that no task can have", async () => {
		for (const category of ["", "x".repeat(65), "two\nlines"]) {
			for (const operation of ["getJsonFeed", "getRssFeed"] as const)
				await nobody.refused(operation, "VALIDATION_ERROR", { query: { category } });
		}
	});
});

describe("a badge", () => {
	async function readBadge(client: Client, id: string) {
		const response = await client.send("getBadge", { params: { id } });
		expect(response.status).toBe(200);
		expect(response.headers.get("Content-Type")).toBe("image/svg+xml; charset=utf-8");
		expect(response.headers.get("Content-Security-Policy")).toBe("default-src 'none'; sandbox");
		expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
		const text = await response.text();
		expect(XMLValidator.validate(text)).toBe(true);
		const { svg } = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: "" }).parse(text);
		return { text, svg, fields: svg.g[1].text.map((field: { "#text": string }) => field["#text"]) };
	}

	it("shows budget, time left and competitors, then the state", async () => {
		const id = await openTask(poster, { title: "<script>alert(1)</script>", budget_cents: 250_000, deadline: hoursFromNow(50) });
		const clock = manualClock();
		const app = createApp(() => testDeps({ clock }));
		const reader = createClient({ fetch: (request) => app.fetch(request) });
		const { text, svg, fields } = await readBadge(reader, id);
		expect(fields).toEqual(["bounty $2,500", "2 d 1 h left", "0 competitors"]);
		expect(svg).toMatchObject({ role: "img", "aria-label": "bounty $2,500, 2 d 1 h left, 0 competitors", height: "20" });
		expect(text).not.toMatch(/script|style|href|http:\/\/(?!www\.w3\.org\/2000\/svg")|on\w+=/);
		const agent = await registerAgent();
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		clock.advance(30 * 3_600_000);
		expect((await readBadge(reader, id)).fields).toEqual([
			"bounty $2,500",
			expect.stringMatching(/^(19 h 59|20 h 0|19 h 58) min left$/),
			"1 competitor",
		]);
		clock.advance(40 * 3_600_000);
		expect((await readBadge(reader, id)).fields[1]).toBe("closing");
		await poster.call("closeTask", { params: { id } });
		clock.advance(5_000);
		expect((await readBadge(reader, id)).fields[1]).toBe("closed");
	});

	it("has room for its fields", async () => {
		const id = await openTask(poster, { budget_cents: 1_000_000_000_000, deadline: hoursFromNow(24 * 999) });
		const { svg } = await readBadge(nobody, id);
		const grounds = svg.g[0].rect.map(({ x, width }: { x: string; width: string }) => [Number(x), Number(width)]);
		const texts = svg.g[1].text.map(({ x, textLength }: { x: string; textLength: string }) => [Number(x), Number(textLength)]);
		for (const [index, [x, width]] of grounds.entries()) {
			expect(texts[index]).toEqual([x + 7, width - 14]);
			expect(x).toBe(grounds.slice(0, index).reduce((sum: number, [, each]: readonly number[]) => sum + (each ?? 0), 0));
		}
		expect(svg.width).toBe(String(grounds.reduce((sum: number, [, each]: readonly number[]) => sum + (each ?? 0), 0)));
	});

	it("is found under its name only", async () => {
		const id = await openTask(poster);
		for (const path of [
			`/badges/tasks/${id}`,
			`/badges/tasks/${id}.png`,
			`/badges/tasks/${id}.svg/x`,
			"/badges/tasks/.svg",
			`/badges/${id}.svg`,
		]) {
			const response = await nobody.send({ ...operations.getBadge, path });
			expect({ path, status: response.status }).toEqual({ path, status: 404 });
			expect(await response.json()).toMatchObject({ error: { code: "NOT_FOUND" } });
		}
		await nobody.refused("getBadge", "INVALID_UUID", { params: { id: `${id}.svg` } });
		const write = await nobody.send({ ...operations.getBadge, method: "delete" }, { params: { id } });
		expect(write.status).toBe(405);
		expect(write.headers.get("Allow")).toBe("GET, HEAD, OPTIONS");
	});
});
