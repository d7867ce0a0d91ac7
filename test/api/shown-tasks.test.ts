// A card and frames show a task on other sites, and its page shows public test cases and the winner. None of them reveals hidden data.
import { exports } from "cloudflare:workers";
import { beforeAll, describe, expect, it } from "vitest";
import { admin } from "../support/admin.ts";
import { randomAddress } from "../support/client.ts";
import { suiteForm } from "../support/container-judging.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";

const ask = (path: string) =>
	exports.default.fetch(
		new Request(`https://bounty.test${path}`, { headers: { Accept: "text/html", "CF-Connecting-IP": randomAddress() } }),
	);

async function read(path: string): Promise<string> {
	const response = await ask(path);
	expect({ path, status: response.status }).toEqual({ path, status: 200 });
	return response.text();
}

const matches = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, found = ""]) => found);
const namesOn = (html: string): string[] => matches(html, /<tr data-key="[^>]*>.*?<th scope="row">.*?<bdi>([^<]+)</g);

describe("a task's public test cases", () => {
	it("are on its page and in their list: names and inputs, never the expected outputs", async () => {
		const owner = await registerAgent("Owner");
		const { id } = await createDraft(owner, { eval_mode: "container", eval_image: "registry.example/judge:1" });
		const suite = {
			test_cases: [
				{ name: "Shown <case>", input: "1 < 2\n", expected_output: "secret-answer", match_type: "exact", public: true },
				{ name: "Hidden case", input: "hidden-input\n", expected_output: "secret-answer", match_type: "exact" },
			],
		};
		await owner.call("uploadTestSuite", { params: { id }, rawBody: suiteForm(suite) });
		await registerAgent().then((stranger) => stranger.refused("listPublicCases", "NOT_FOUND", { params: { id } }));
		await owner.call("publishTask", { params: { id } });
		const listed = await (await registerAgent()).call("listPublicCases", { params: { id } });
		expect(listed).toEqual({ data: [{ name: "Shown <case>", input: "1 < 2\n" }], test_case_count: 2, public_case_count: 1 });
		const html = await read(`/tasks/${id}`);
		expect(html).toContain("<bdi>Shown &lt;case&gt;</bdi>");
		expect(html).toContain("1 of them are hidden.");
		for (const hidden of ["secret-answer", "hidden-input", "Hidden case"]) expect(html).not.toContain(hidden);
	});
});

describe("a framed task", () => {
	let owner: RegisteredClient;
	let contestId: string;
	beforeAll(async () => {
		owner = await registerAgent("Owner");
		contestId = await openTask(owner);
		for (const name of ["Ada", "Ben", "Cleo"]) {
			const agent = await registerAgent(name);
			await awaitEvaluation(agent, (await submit(agent, contestId)).id);
		}
	});

	it("may be framed by every site, unlike the other pages, and has the requested theme", async () => {
		const response = await ask(`/embed/tasks/${contestId}?theme=dark`);
		expect(response.headers.get("Content-Security-Policy")).toMatch(/form-action 'none'; base-uri 'none'; frame-ancestors \*$/);
		expect(response.headers.has("Set-Cookie")).toBe(false);
		const html = await response.text();
		expect(html).toContain('<html lang="en" data-theme="dark">');
		expect(namesOn(html)).toHaveLength(3);
		expect(html).not.toContain(owner.agentId);
		expect(html).not.toMatch(/Ada|Ben|Cleo/);
		expect(matches(html, /<a ([^>]*)>/g).every((link) => link.includes('target="_blank" rel="noopener"'))).toBe(true);
		expect((await ask(`/embed/tasks/${contestId}?theme=pink`)).status).toBe(400);
	});

	it("is 404 like its card, badge and page for a draft, an invited task and one that was taken down", async () => {
		const { id: draft } = await createDraft(owner);
		const invited = await openTask(owner, { access: "invited", title: "Only for friends" });
		const takenDown = await openTask(owner);
		await admin.call("takeDownTask", { params: { id: takenDown }, body: { reason: "spam" } });
		for (const id of [draft, invited, takenDown]) {
			for (const path of [`/tasks/${id}`, `/embed/tasks/${id}`, `/cards/tasks/${id}.png`, `/badges/tasks/${id}.svg`]) {
				const response = await ask(path);
				expect({ path, status: response.status }).toEqual({ path, status: 404 });
				expect(await response.text()).not.toContain("Only for friends");
			}
		}
	});

	it("and its card show only what the page of a sealed task with hidden criteria shows", async () => {
		const id = await openTask(owner, {
			sealed: true,
			final_round: true,
			criteria: [
				{ name: "Open one", description: "Seen.", weight: 60 },
				{ name: "Covert one", description: "Unseen.", weight: 40, final_only: true },
			],
		});
		const page = await read(`/tasks/${id}`);
		expect(page).toContain("The work is sealed");
		for (const html of [page, await read(`/embed/tasks/${id}`)]) expect(html).not.toMatch(/Covert|Unseen/);
	});
});

describe("a task's card", () => {
	it("is a PNG of 1200 by 630 for any title", async () => {
		const owner = await registerAgent("Owner");
		for (const title of ["Merge", "W".repeat(200), "タイトル", "Ünïcödé ✓", "word ".repeat(30)]) {
			const id = await openTask(owner, { title });
			const response = await ask(`/cards/tasks/${id}.png`);
			const bytes = new Uint8Array(await response.arrayBuffer());
			const view = new DataView(bytes.buffer);
			expect({ title, type: response.headers.get("Content-Type"), signature: view.getUint32(0) }).toEqual({
				title,
				type: "image/png",
				signature: 0x89_50_4e_47,
			});
			expect([view.getUint32(16), view.getUint32(20)]).toEqual([1200, 630]);
			expect(response.headers.get("Cache-Control")).toBe("public, max-age=300");
		}
	});
});

describe("the end of a task", () => {
	it("names the winner and the state of the deal", async () => {
		const owner = await registerAgent("Payer");
		const winner = await registerAgent("Champion");
		const id = await openTask(owner);
		await awaitEvaluation(winner, (await submit(winner, id)).id);
		expect(await read(`/tasks/${id}`)).not.toContain("Won by");
		await owner.call("closeTask", { params: { id } });
		const html = await read(`/tasks/${id}`);
		expect(html).toMatch(/<p class="outcome">Won by .*Champion.* with <b>[\d.]+<\/b> points\. No deal is recorded\.<\/p>/);
	});
});
