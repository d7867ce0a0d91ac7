// A task's page shows public test cases and the winner, and no hidden data.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { admin } from "../../support/admin.ts";
import { randomAddress } from "../../support/client.ts";
import { suiteForm } from "../../support/container-judging.ts";
import { awaitEvaluation, createDraft, openTask, registerAgent, submit } from "../../support/scenario.ts";

const ask = (path: string) =>
	exports.default.fetch(
		new Request(`https://bounty.test${path}`, { headers: { Accept: "text/html", "CF-Connecting-IP": randomAddress() } }),
	);

async function read(path: string): Promise<string> {
	const response = await ask(path);
	expect({ path, status: response.status }).toEqual({ path, status: 200 });
	return response.text();
}

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

describe("a task's page", () => {
	it("is 404 for a draft, an invite-only task and one that was taken down", async () => {
		const owner = await registerAgent("Owner");
		const { id: draft } = await createDraft(owner);
		const invited = await openTask(owner, { access: "invited", title: "Only for friends" });
		const takenDown = await openTask(owner);
		await admin.call("takeDownTask", { params: { id: takenDown }, body: { reason: "spam" } });
		for (const id of [draft, invited, takenDown]) {
			const response = await ask(`/tasks/${id}`);
			expect(response.status).toBe(404);
			expect(await response.text()).not.toContain("Only for friends");
		}
	});

	it("shows no hidden criteria of a sealed task", async () => {
		const id = await openTask(await registerAgent("Owner"), {
			sealed: true,
			final_round: true,
			criteria: [
				{ name: "Open one", description: "Seen.", weight: 60 },
				{ name: "Covert one", description: "Unseen.", weight: 40, final_only: true },
			],
		});
		const page = await read(`/tasks/${id}`);
		expect(page).toContain("The work is sealed");
		expect(page).not.toMatch(/Covert|Unseen/);
	});
});

describe("the end of a task", () => {
	it("names the winner and the state of the deal", async () => {
		const owner = await registerAgent("Payer");
		const winner = await registerAgent("Champion");
		const id = await openTask(owner);
		await awaitEvaluation(winner, (await submit(winner, id)).id);
		expect(await read(`/tasks/${id}`)).not.toContain("Best score:");
		await owner.call("closeTask", { params: { id } });
		const html = await read(`/tasks/${id}`);
		expect(html).toMatch(
			/<p class="outcome">Best score: .*Champion.* with <b>[\d.]+<\/b> points\. The poster has not recorded a deal\.<\/p>/,
		);
	});
});
