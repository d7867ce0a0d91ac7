// Tests the pages for people as the Worker renders them: what they show and hide, what they cost, and that no user's text becomes
// markup.
import { createExecutionContext } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { createApp } from "../../support/app.ts";
import { createClient, randomAddress } from "../../support/client.ts";
import { suiteForm } from "../../support/container-judging.ts";
import { testDeps } from "../../support/deps.ts";
import { HOSTILE_MARKDOWN, HOSTILE_TEXTS } from "../../support/hostile-texts.ts";
import { manualClock } from "../../support/manual-clock.ts";
import { NAUGHTY_STRINGS } from "../../support/naughty-strings.ts";
import {
	attachmentForm,
	awaitEvaluation,
	createDraft,
	hoursFromNow,
	openTask,
	type RegisteredClient,
	registerAgent,
	submit,
} from "../../support/scenario.ts";
import { seedTasks } from "../../support/seed.ts";
import { measure } from "../../support/use.ts";

const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const UNKNOWN_ID = "01900000-0000-7000-8000-000000000000";
/** The files that a page loads or links to must be smaller than this, compressed. */
const MAX_PAGE_BYTES = 60_000;

function ask(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
	const request = new Request(`https://bounty.test${path}`, {
		redirect: "manual",
		headers: { Accept: BROWSER, "CF-Connecting-IP": randomAddress(), ...headers },
	});
	return exports.default.fetch(request);
}

async function read(path: string): Promise<string> {
	const response = await ask(path);
	expect({ path, status: response.status, type: response.headers.get("Content-Type") }).toEqual({
		path,
		status: 200,
		type: "text/html; charset=utf-8",
	});
	return response.text();
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = ""]) => found);
/** Returns the names of a leaderboard, with or without a link to their profiles. */
const namesOn = (html: string): string[] => matches(html, /<tr data-key="[^>]*>.*?<th scope="row">.*?<bdi>([^<]+)</g);
const titlesOf = (html: string): string[] => matches(html, /<a class="task-link"[^>]*><bdi>([^<]*)<\/bdi>/g);

let poster: RegisteredClient;
let agents: readonly RegisteredClient[];
/** This task has three entries. */
let contestId: string;

beforeAll(async () => {
	poster = await registerAgent("Acme <b>Corp</b>");
	agents = await Promise.all(["Ada", "Ben", "Cleo"].map((name) => registerAgent(`${name} & <i>Sons</i>`)));
	contestId = await openTask(poster, {
		title: "Merge bank exports",
		category: "ledgers",
		budget_cents: 123_450,
		description:
			"# Why\n\nWe have **five** files.\n\n- quotes\n- `dates`\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n[spec](https://example.com/spec)",
		input_spec: "Five <files> of `csv`",
		deadline: hoursFromNow(50),
	});
	for (const agent of agents) await awaitEvaluation(agent, (await submit(agent, contestId)).id);
});

describe("a task's page", () => {
	it("shows the task, its rubric, its board and how to submit", async () => {
		const html = await read(`/tasks/${contestId}`);
		expect(html).toMatch(/<h1><bdi>Merge bank exports<\/bdi><\/h1>/);
		expect(html).toContain("$1,234.50");
		expect(html).toMatch(/data-countdown="[^"]+"[^>]*>2 d 1 h 5\d min</);
		expect(html).toMatch(/Posted by <span class="agent-name"><svg.*?<\/svg><bdi>Acme &lt;b&gt;Corp&lt;\/b&gt;<\/bdi>/);
		for (const [name, weight] of [
			["Parser", "60 %"],
			["Tests", "40 %"],
		])
			expect(html).toMatch(new RegExp(`<bdi>${name}</bdi> <span class="weight">${weight}</span>`));
		const { entries } = await createClient().call("getPublicLeaderboard", { params: { id: contestId } });
		expect(namesOn(html)).toEqual(entries.map(({ agentName }) => agentName));
		expect(html).toContain(`/api/v1/tasks/${contestId}/quick-submit`);
		expect(html).toContain(`npx https://bounty.test/packages/cli.tgz submit . --url https://bounty.test --task ${contestId}`);
		expect(html).toMatch(/aria-label="Number of competitors by score: 3 from \d+ to \d+\."/);
	});

	it("shows Markdown as elements in description and specs, and HTML in it as text", async () => {
		const html = await read(`/tasks/${contestId}`);
		const markdown = /<div class="markdown">(.*?)<\/div>/s.exec(html)?.[1] ?? "";
		for (const part of ["<h3>Why</h3>", "<strong>five</strong>", "<li>quotes</li>", "<code>dates</code>", "<td>1</td>"])
			expect(markdown).toContain(part);
		expect(markdown).toContain('<a href="https://example.com/spec" rel="nofollow ugc noopener noreferrer">spec</a>');
		expect(html).toContain('<div class="markdown"><p>Five &lt;files&gt; of <code>csv</code></p></div>');
	});

	it("has a page for the places after the first ones", async () => {
		const { entries, next_cursor } = await createClient().call("getPublicLeaderboard", { params: { id: contestId }, query: { limit: 1 } });
		const path = `/tasks/${contestId}?${new URLSearchParams({ board: next_cursor ?? "" })}`;
		const html = await read(path);
		expect(html).toContain("<h1>Leaderboard, ranks 2 to 3</h1>");
		expect(namesOn(html)).not.toContain(entries[0]?.agentName);
		expect(namesOn(html)).toHaveLength(2);
		for (const { agentId } of agents) expect(html).not.toContain(agentId);
		expect(namesOn(await read(`/tasks/${contestId}?board=first`))).toEqual([entries[0]?.agentName, ...namesOn(html)]);
		expect((await ask(`/tasks/${contestId}?board=forged`)).status).toBe(400);
	});

	it("names its other forms: canonical URL, JSON and the feed, and the picture for social networks", async () => {
		const html = await read(`/tasks/${contestId}`);
		expect(html).toContain(`<link rel="canonical" href="https://bounty.test/tasks/${contestId}"/>`);
		expect(html).toMatch(new RegExp(`<link rel="alternate" type="application/json"[^>]*href="/api/public/tasks/${contestId}"`));
		expect(html).toMatch(/<link rel="alternate" type="application\/rss\+xml"[^>]*href="\/feeds\/tasks\.xml\?category=ledgers"/);
		expect(html).toContain('<meta property="og:title" content="Merge bank exports · Bounty Platform"/>');
		expect(html).toMatch(
			/<meta property="og:description" content="The poster offers \$1,234\.50; the agent it chooses would get \$1,111\.05\. 3 competitors, until [^"]+UTC\. We have five files\./,
		);
		const picture = /<meta property="og:image" content="https:\/\/bounty\.test(\/assets\/card\.[0-9a-f]{10}\.png)"\/>/;
		expect(picture.exec(await read("/results"))?.[1]).toBe(picture.exec(html)?.[1] ?? "none");
		expect(html).toContain('<meta name="twitter:card" content="summary_large_image"/>');
	});

	it("names no agent and no agent's id before the reveal, and all of them afterwards", async () => {
		const before = await read(`/tasks/${contestId}`);
		expect(before).toMatch(/Names are pseudonyms/);
		for (const { agentId } of [poster, ...agents]) expect(before).not.toContain(agentId);
		for (const name of ["Ada", "Ben", "Cleo"]) expect(before).not.toContain(name);
		const closedId = await openTask(poster);
		for (const agent of agents) await awaitEvaluation(agent, (await submit(agent, closedId)).id);
		await poster.call("closeTask", { params: { id: closedId } });
		const after = await read(`/tasks/${closedId}`);
		expect(namesOn(after).toSorted()).toEqual(["Ada", "Ben", "Cleo"].map((name) => `${name} &amp; &lt;i&gt;Sons&lt;/i&gt;`));
		for (const { agentId } of [poster, ...agents]) expect(after).toContain(`href="/agents/${agentId}"`);
		expect(after).not.toContain("data-countdown");
		expect(after).not.toContain("quick-submit");
	});

	it("is a 404 in HTML for a draft, an unknown and a malformed id, and JSON for programs", async () => {
		const { id } = await createDraft(poster, { title: "A secret draft" });
		for (const wrong of [id, UNKNOWN_ID, "1", "not-an-id", `${UNKNOWN_ID}0`]) {
			const page = await ask(`/tasks/${wrong}`);
			expect({ wrong, status: page.status, type: page.headers.get("Content-Type") }).toEqual({
				wrong,
				status: 404,
				type: "text/html; charset=utf-8",
			});
			const text = await page.text();
			expect(text).toContain("<h1>Page not found</h1>");
			expect(text).not.toContain("A secret draft");
			expect(text).toContain('<meta name="robots" content="noindex"/>');
			expect(page.headers.get("Vary")).toBe("Accept");
		}
		await createClient().refused("getTaskPage", "NOT_FOUND", { params: { id } });
		await createClient().refused("getTaskPage", "INVALID_UUID", { params: { id: "1" } });
	});
});

describe("the list of tasks", () => {
	let category: string;
	beforeAll(async () => {
		category = `shelf-${UNKNOWN_ID.slice(0, 4)}${Math.floor(performance.now())}`;
		const shared = { category, description: "About xylophones." };
		await openTask(poster, { ...shared, title: "Second", budget_cents: 20_000, deadline: hoursFromNow(70) });
		await openTask(poster, { ...shared, title: "First", budget_cents: 90_000, deadline: hoursFromNow(60) });
		await openTask(poster, {
			...shared,
			title: "Third",
			budget_cents: 50_000,
			deadline: hoursFromNow(80),
			eval_callback_url: "https://judge.example/score",
		});
	});
	const list = async (query: Readonly<Record<string, string>>) =>
		titlesOf(await read(`/tasks?${new URLSearchParams({ category, ...query })}`));

	it("filters, sorts and searches as its form says, and accepts the form's empty fields", async () => {
		expect(await list({})).toEqual(["First", "Second", "Third"]);
		expect(await list({ q: "", mode: "", min_budget: "", sort: "" })).toEqual(["First", "Second", "Third"]);
		expect(await list({ mode: "external" })).toEqual(["Third"]);
		expect(await list({ mode: "llm" })).toEqual(["First", "Second"]);
		expect(await list({ min_budget: "500" })).toEqual(["First", "Third"]);
		expect(await list({ min_budget: "501" })).toEqual(["First"]);
		expect(await list({ sort: "newest" })).toEqual(["Third", "First", "Second"]);
		expect(await list({ sort: "newest", mode: "llm", min_budget: "300" })).toEqual(["First"]);
		expect((await list({ q: "xylophones" })).toSorted()).toEqual(["First", "Second", "Third"]);
		expect(await list({ q: "xylophones", min_budget: "300", mode: "external" })).toEqual(["Third"]);
		expect(await list({ q: "second" })).toEqual(["Second"]);
		expect(await list({ category: category.toUpperCase(), q: "nowhere" })).toEqual([]);
	});

	it("shows the request's values in the form, as text", async () => {
		const q = '"><script>alert(1)</script>';
		const html = await read(`/tasks?${new URLSearchParams({ q, category, mode: "hybrid", min_budget: "300" })}`);
		expect(html).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"');
		expect(html).toMatch(/<option value="hybrid" selected=""/);
		expect(html).toContain('value="300"');
		expect(html).toContain("No open task matches.");
	});

	it("leads through all pages by links that keep the filter", async () => {
		await seedTasks({ posterId: poster.agentId, from: 1, to: 450, start: Date.parse(hoursFromNow(90)) });
		const seen: string[] = [];
		let path: string | undefined = "/tasks?category=seeded";
		let pages = 0;
		while (path !== undefined) {
			const html: string = await read(path);
			seen.push(...matches(html, /class="task-link" href="([^"]+)"/g));
			path = matches(html, /<a rel="next" href="([^"]+)"/g)[0]?.replaceAll("&amp;", "&");
			pages += 1;
		}
		expect({ pages, tasks: new Set(seen).size, shown: seen.length }).toEqual({ pages: 3, tasks: 45, shown: 45 });
	});

	it("shows a page that says what is wrong with a filter", async () => {
		for (const query of ["min_budget=ten", "mode=magic", "sort=up", "cursor=x", `q=${"a".repeat(201)}`]) {
			const page = await ask(`/tasks?${query}`);
			expect({ query, status: page.status }).toEqual({ query, status: 400 });
			expect(page.headers.get("Content-Type")).toContain("text/html");
			expect(await page.text()).toContain("<h1>This did not work</h1>");
		}
		await createClient().refused("getTasksPage", "VALIDATION_ERROR", { query: { mode: "magic" } });
	});
});

describe("an agent's page", () => {
	it("shows what it has won and posted, on ended tasks only", async () => {
		const [owner, winner] = await Promise.all([registerAgent("Owner"), registerAgent("Winner")]);
		const openId = await openTask(owner, { title: "Still open" });
		const taskId = await openTask(owner, { title: "All over", budget_cents: 20_000 });
		for (const id of [openId, taskId]) await awaitEvaluation(winner, (await submit(winner, id)).id);
		await owner.call("closeTask", { params: { id: taskId } });
		const page = await read(`/agents/${winner.agentId}`);
		expect(page).toContain("<h1><bdi>Winner</bdi></h1>");
		expect(page).toMatch(new RegExp(`<a[^>]*href="/tasks/${taskId}"[^>]*><bdi>All over</bdi></a> <span class="tag tag-good">first</span>`));
		expect(page).toMatch(/<dt>First places<\/dt><dd>1<\/dd>/);
		const posted = await read(`/agents/${owner.agentId}`);
		expect(titlesOf(posted)).toEqual(["All over"]);
		expect(posted).toMatch(/<dt>Tasks published<\/dt><dd>2<\/dd>/);
		for (const html of [page, posted]) {
			expect(html).not.toContain(openId);
			expect(html).not.toContain("Still open");
			expect(html).toContain(`<link rel="alternate" type="application/json" title="This profile (JSON)"`);
		}
		expect(await read("/results")).toContain(`href="/agents/${winner.agentId}"`);
	});

	it("is a 404 in HTML for an unknown, a suspended and an erased agent", async () => {
		const [suspended, erased] = await Promise.all([registerAgent("Nasty"), registerAgent("Nobody")]);
		const body = { reason: "spam" };
		await admin.call("suspendAgent", { params: { id: suspended.agentId }, body });
		await admin.call("eraseAgent", { params: { id: erased.agentId }, body });
		for (const id of [suspended.agentId, erased.agentId, UNKNOWN_ID, "me"]) {
			const page = await ask(`/agents/${id}`);
			expect({ id, status: page.status, isNamed: /Nasty|Nobody/.test(await page.text()) }).toEqual({ id, status: 404, isNamed: false });
		}
	});
});

describe("the parts of a task's page", () => {
	it("are its files, its checks, and the scores over time, with the way to submit", async () => {
		const owner = await registerAgent("Owner");
		const { id } = await createDraft(owner, {
			criteria: [{ name: "Parser", description: "Reads.", weight: 100, checks: ["Reads <all>"], evidence: "any" }],
		});
		await owner.call("addAttachment", { params: { id }, rawBody: attachmentForm() });
		await owner.call("publishTask", { params: { id } });
		const agent = await registerAgent("Climber");
		await awaitEvaluation(agent, (await submit(agent, id, { "SUBMISSION.md": "# What I Built\nNothing\n" })).id);
		await awaitEvaluation(agent, (await submit(agent, id)).id);
		const html = await read(`/tasks/${id}`);
		expect(html).toContain("<li><bdi>Reads &lt;all&gt;</bdi></li>");
		expect(html).toContain("A README or SUBMISSION.md at the root counts as proof too.");
		expect(html).toMatch(/aria-label="Best score over time: Competitor [0-9a-f]{10} reaches [\d.]+\."/);
		expect(html).toContain(`href="/console/tasks/${id}/submit"`);
		expect(html).toContain("No deals on public tasks so far.");
		const file = /<ul class="files"><li><a href="([^"]+)"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
		const download = await exports.default.fetch(new Request(file));
		expect(download.status).toBe(200);
		expect(await download.text()).not.toBe("");
		expect(html).toContain("Language model");
	});
});

describe("a task that is taken down", () => {
	it("is on no page and in no list", async () => {
		const [category, title] = ["taken-down", "Quaggaphone"];
		const id = await openTask(poster, { category, title, deadline: hoursFromNow(24.01) });
		await awaitEvaluation(agents[0] ?? poster, (await submit(agents[0] ?? poster, id)).id);
		const places = [
			...["/", "/sitemap.xml", `/tasks?category=${category}`, `/tasks?sort=newest&category=${category}`],
			...[`/tasks?q=${title}`, `/tasks?sort=newest`],
		];
		const shown = async () => Promise.all(places.map(async (path) => (await (await ask(path)).text()).includes(`/tasks/${id}`)));
		expect(await shown()).toEqual(places.map(() => true));
		await admin.call("takeDownTask", { params: { id }, body: { reason: "It breaks the rules." } });
		expect(await shown()).toEqual(places.map(() => false));
		const page = await ask(`/tasks/${id}`);
		expect({ status: page.status, isNamed: (await page.text()).includes(title) }).toEqual({ status: 404, isNamed: false });
	});
});

describe("the start page", () => {
	it("shows open tasks as links, and the board of the busiest", async () => {
		const html = await read("/");
		expect(titlesOf(html).length).toBeGreaterThan(0);
		expect(titlesOf(html).length).toBeLessThanOrEqual(8);
		expect(html).toMatch(/data-live-board="[0-9a-f-]{36}"/);
		// A lock file that has this URL goes on working.
		expect(html).toMatch(/npm install https:\/\/bounty\.test\/packages\/sdk-\d+\.\d+\.\d+-[0-9a-f]{12}\.tgz/);
		for (const way of [
			"npx https://bounty.test/packages/cli.tgz login --register --url https://bounty.test",
			"https://bounty.test/mcp",
			"/register-anonymous",
		])
			expect(html).toContain(way);
	});

	it("says on an empty platform how to fill it, and in production that no task is open", async () => {
		const page = async (environment: "development" | "production") => {
			const { config } = testDeps();
			// At this time every task of this file has ended.
			const clock = manualClock(Date.parse(hoursFromNow(10_000)));
			const app = createApp(() => testDeps({ config: { ...config, environment }, clock }));
			const request = new Request("https://bounty.test/", { headers: { Accept: BROWSER } });
			return (await app.fetch(request, env, createExecutionContext())).text();
		};
		expect(await page("development")).toContain("npm run demo -- --url https://bounty.test");
		const deployed = await page("production");
		expect(deployed).not.toContain("npm run demo");
		expect(deployed).toContain("No task is open right now.");
	});
});

describe("text of users", () => {
	/** Fails if the page has an element that is not the page's own. */
	function expectHarmless(html: string, about: string): void {
		const scripts = matches(html, /<script([^>]*)>/g).filter((script) => !/^ src="\/assets\/theme\.[0-9a-f]{10}\.js"$/.test(script));
		expect({ about, scripts }).toEqual({ about, scripts: [expect.stringMatching(/^ src="\/assets\/public\.[0-9a-f]{10}\.js" defer=""$/)] });
		const tags = [...html.matchAll(/<([a-z][\w-]*)((?:\s+[\w:-]+(?:="[^"]*")?)*)\s*\/?>/gi)];
		const foreign = tags.filter(([, name = "", attributes = ""]) => {
			const names = matches(attributes.replaceAll(/="[^"]*"/g, ""), /\s([\w:-]+)/g);
			const isForeign = ["iframe", "object", "embed", "style", "base", "img", "math"].includes(name.toLowerCase());
			return isForeign || names.some((one) => /^(on|style$|srcdoc$)/i.test(one));
		});
		const hrefs = matches(html, /\shref="([^"]*)"/g).filter((href) => !/^(\/|#|https:\/\/|mailto:)/.test(href));
		// A page has hundreds of elements, and an expectation of each would take longer than the page.
		expect({ about, foreign: foreign.map(([tag]) => tag), hrefs }).toEqual({ about, foreign: [], hrefs: [] });
	}

	it("is never markup, in titles, categories, descriptions, specs, criteria and names", async () => {
		for (const text of HOSTILE_TEXTS) {
			const author = await registerAgent(text);
			const criteria = [{ name: text, description: text, weight: 100 }];
			const id = await openTask(author, { title: text, category: text, description: text, input_spec: text, output_spec: text, criteria });
			await awaitEvaluation(author, (await submit(author, id)).id);
			await author.call("updateProfile", { body: { bio: text, specialization_tags: [text] } });
			await author.call("closeTask", { params: { id } });
			expectHarmless(await read(`/tasks/${id}`), text);
			expectHarmless(await read(`/tasks/${id}?board=first`), text);
			expectHarmless(await read(`/agents/${author.agentId}`), text);
			expectHarmless(await read(await openTalkedOfTask(author, text)), text);
			expectHarmless(await read(`/tasks?${new URLSearchParams({ category: text })}`), text);
		}
		expectHarmless(await read("/tasks?sort=newest"), "the list");
		expectHarmless(await read("/results"), "the results");
		expectHarmless(await read("/"), "the start page");
	});

	/**
	 * Opens a task with the text in its file, checks, public case, announcement, question and answer. Returns its page's path.
	 */
	async function openTalkedOfTask(owner: RegisteredClient, text: string): Promise<string> {
		const criteria = [{ name: "One", weight: 100, checks: [text] }];
		const { id } = await createDraft(owner, { eval_mode: "hybrid", eval_image: "registry.example/judge:1", criteria });
		const params = { id };
		const file = attachmentForm();
		file.set("description", text);
		await owner.call("addAttachment", { params, rawBody: file });
		const test_cases = [{ name: text, input: text, expected_output: "1", match_type: "exact", public: true }];
		await owner.call("uploadTestSuite", { params, rawBody: suiteForm({ test_cases }) });
		await owner.call("publishTask", { params });
		await owner.call("askQuestion", { params, body: { text } });
		const asker = await registerAgent(text);
		const question = await asker.call("askQuestion", { params, body: { text } });
		await owner.call("answerQuestion", { params: { id, questionId: question.id }, body: { text } });
		return `/tasks/${id}`;
	}

	it("in Markdown creates no element or link that could run or load anything", async () => {
		for (const text of HOSTILE_MARKDOWN) {
			const id = await openTask(poster, { description: text, input_spec: text, output_spec: text });
			const html = await read(`/tasks/${id}`);
			expectHarmless(html, text);
			expect(html.replace(/<meta [^>]*>/g, "")).not.toMatch(/(href|src)="[^"]*(evil\.example|script:)/i);
		}
	});

	it("of any kind leaves the page whole", async () => {
		const storable = NAUGHTY_STRINGS.filter((text) => text.isWellFormed() && !text.includes("\0"));
		const id = await openTask(poster, { description: storable.join("\n\n").slice(0, 9_000) });
		const html = await read(`/tasks/${id}`);
		expectHarmless(html, "naughty strings");
		expect(html.endsWith("</body></html>")).toBe(true);
		for (const q of storable.filter((text) => text.trim() !== "" && [...text].length <= 200)) {
			const page = await ask(`/tasks?${new URLSearchParams({ q })}`);
			expect({ q, status: page.status }).toEqual({ q, status: 200 });
			expectHarmless(await page.text(), q);
		}
	});

	it("at any depth of nesting still renders", async () => {
		for (const unit of ["> ", ">", "- ", "1. ", "[", "*", "_a*", "**_[", "`", "<", "[a](", "~~a"]) {
			const id = await openTask(poster, { description: unit.repeat(9_900 / unit.length) });
			const page = await ask(`/tasks/${id}`);
			expect({ unit, status: page.status }).toEqual({ unit, status: 200 });
			expectHarmless(await page.text(), unit);
		}
	});
});

describe("every page", () => {
	it("has the strict policy and no cookie, and loads nothing from other hosts", async () => {
		for (const path of ["/", "/tasks", `/tasks/${contestId}`, "/results", `/agents/${poster.agentId}`, "/nothing"]) {
			const response = await ask(path);
			const { headers } = response;
			expect(headers.get("Content-Security-Policy")).toBe(
				"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			);
			expect(headers.has("Set-Cookie")).toBe(false);
			expect({ nosniff: headers.get("X-Content-Type-Options"), referrer: headers.get("Referrer-Policy") }).toEqual({
				nosniff: "nosniff",
				referrer: "no-referrer",
			});
			const html = await response.text();
			expect(html.startsWith('<!doctype html><html lang="en">')).toBe(true);
			expect(html).not.toMatch(/<style|\sstyle="|<script(?![^>]* src=)/);
			expect(
				matches(html, /<(?:script|link rel="(?:stylesheet|icon)"|img)[^>]*(?:src|href)="([^"]+)"/g).every((url) => url.startsWith("/")),
			).toBe(true);
			expect(matches(html, /<h1[^>]*>/g)).toHaveLength(1);
			const ids = matches(html, / id="([^"]*)"/g);
			expect(new Set(ids).size).toBe(ids.length);
		}
	});

	it("is cached as long as the public API's responses, and revalidated", async () => {
		for (const path of ["/", "/tasks", `/tasks/${contestId}`, "/results", `/agents/${poster.agentId}`, "/sitemap.xml"]) {
			const response = await ask(path);
			expect({ path, cache: response.headers.get("Cache-Control") }).toEqual({ path, cache: "public, max-age=5" });
			const again = await ask(path, { "If-None-Match": response.headers.get("ETag") ?? "" });
			expect({ path, status: again.status, body: await again.text() }).toEqual({ path, status: 304, body: "" });
		}
	});

	it("costs at most two calls to D1", async () => {
		await openTask(poster, { category: "cost" });
		const fresh: readonly string[] = [
			`/tasks/${await openTask(poster)}`,
			"/tasks?category=cost&min_budget=1",
			"/tasks?category=cost&sort=newest",
			"/tasks?category=cost&q=parse",
			"/results",
			`/agents/${poster.agentId}`,
			"/sitemap.xml",
		];
		for (const path of fresh) {
			const use = await measure(() => ask(path));
			expect({ path, status: use.status, calls: use.d1_calls <= 2 || use.d1_calls }).toEqual({ path, status: 200, calls: true });
			expect({ path, written: use.d1_rows_written }).toEqual({ path, written: 0 });
		}
		const home = await measure(() => ask("/"));
		expect(home.d1_calls).toBeLessThanOrEqual(2);
	});

	it("is small enough for a slow connection, with all that it loads", async () => {
		const paragraph = "Merge the exports of five banks into one ledger. Every row is kept, and each amount has its currency. ";
		const id = await openTask(poster, {
			description: paragraph.repeat(97).slice(0, 10_000),
			input_spec: paragraph.repeat(900),
			output_spec: paragraph.repeat(900),
			criteria: Array.from({ length: 50 }, (_, index) => ({ name: `Criterion ${index}`, description: paragraph.repeat(4), weight: 2 })),
		});
		for (const path of ["/", "/tasks", `/tasks/${id}`]) {
			const html = await read(path);
			const urls = matches(html, /<(?:script|link rel="(?:stylesheet|icon)")[^>]*(?:src|href)="([^"]+)"/g);
			expect(urls).toHaveLength(4);
			const files = await Promise.all(urls.map(async (url) => (await env.ASSETS.fetch(`https://assets.invalid${url}`)).bytes()));
			const sizes = await Promise.all([new TextEncoder().encode(html), ...files].map(gzipSize));
			expect({ path, size: sizes.reduce((sum, size) => sum + size, 0) }).toEqual({
				path,
				size: expect.toSatisfy((n: number) => n < MAX_PAGE_BYTES),
			});
		}
	});

	async function gzipSize(bytes: Uint8Array): Promise<number> {
		const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
		return (await new Response(stream).bytes()).byteLength;
	}
});

describe("the sitemap", () => {
	it("lists open tasks, the pages around them and the documentation, and is named by robots.txt", async () => {
		const id = await openTask(poster, { title: "Newest of all" });
		const closedId = await openTask(poster);
		await poster.call("closeTask", { params: { id: closedId } });
		const response = await createClient().send("getSitemap");
		expect(response.headers.get("Content-Type")).toBe("application/xml; charset=utf-8");
		const text = await response.text();
		const locations = matches(text, /<loc>([^<]+)<\/loc>/g);
		for (const path of ["/", "/tasks", "/docs", "/docs/quickstart/agents", `/tasks/${id}`])
			expect(locations).toContain(`https://bounty.test${path}`);
		expect(locations).not.toContain(`https://bounty.test/tasks/${closedId}`);
		expect(locations.indexOf(`https://bounty.test/tasks/${id}`)).toBe(locations.findIndex((url) => /\/tasks\/./.test(url)));
		expect(await (await ask("/robots.txt")).text()).toContain("\nSitemap: https://bounty.test/sitemap.xml\n");
	});
});
