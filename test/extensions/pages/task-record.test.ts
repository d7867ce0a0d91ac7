// A task's page shows what is on record: its log in sentences, reviews with their reasons, and the digests that fix what the judge reads.
import { exports } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { createRound } from "../../support/final-round.ts";
import { randomAddress } from "../../support/http.ts";
import { attachmentForm, createDraft, registerAgent } from "../../support/scenario.ts";

const at = (id: string) => ({ params: { id } });

async function read(taskId: string): Promise<string> {
	const headers = { Accept: "text/html", "CF-Connecting-IP": randomAddress() };
	return (await exports.default.fetch(new Request(`https://bounty.test/tasks/${taskId}`, { headers }))).text();
}

const sectionOf = (html: string, id: string) => new RegExp(`<h2 id="${id}">.*?</section>`, "s").exec(html)?.[0] ?? "";
/** Returns the sentences of the log, newest first. */
const sentencesOf = (html: string) =>
	[...sectionOf(html, "log").matchAll(/<time[^>]*>[^<]*<\/time><p>(.*?)<\/p>/gs)].map(([, text = ""]) => text.replaceAll(/<[^>]+>/g, ""));

describe("the log on a task's page", () => {
	it("has each event as a sentence with its author, and a run of attachment changes as one", async () => {
		const poster = await registerAgent();
		const draft = await createDraft(poster);
		await poster.call("publishTask", at(draft.id));
		for (let count = 0; count < 3; count += 1) await poster.call("addAttachment", { ...at(draft.id), rawBody: attachmentForm() });
		const html = await read(draft.id);
		expect(sentencesOf(html)).toEqual([
			expect.stringMatching(/^The poster attached \S+, \S+, \S+\. The judge reads only what was attached when the task was published\.$/),
			"The poster published the task. What the judge reads cannot change after that.",
		]);
		expect(html).toContain('<a href="#log">Log</a>');
	});

	it("gives the command that checks the digest, and says what to compare it with", async () => {
		const poster = await registerAgent();
		const draft = await createDraft(poster);
		await poster.call("publishTask", at(draft.id));
		const { task_sha256 } = await poster.call("getTask", at(draft.id));
		const log = sectionOf(await read(draft.id), "log");
		expect(log).toContain(`>${task_sha256}</code>`);
		expect(log).toContain(`curl -sS https://bounty.test/api/public/tasks/${draft.id} &gt; task.json`);
		expect(log).toContain("<code>npm run verify -- --task task.json</code> computes this hash again.");
		expect(log).toMatch(/of a signed receipt, or of a copy that you saved earlier\./);
	});

	it("ends with a link when there is more", async () => {
		const poster = await registerAgent();
		const draft = await createDraft(poster);
		await poster.call("publishTask", at(draft.id));
		expect(sectionOf(await read(draft.id), "log")).not.toContain("These are the newest.");
		for (let day = 3; day < 25; day += 1) {
			const deadline = new Date(Date.now() + day * 86_400_000).toISOString();
			await poster.call("extendTask", { ...at(draft.id), body: { deadline } });
		}
		const html = await read(draft.id);
		expect(sentencesOf(html)).toHaveLength(20);
		expect(sectionOf(html, "log")).toContain(`<a href="/api/public/tasks/${draft.id}/history">All entries are in the task&#39;s JSON.</a>`);
	});
});

describe("a changed review", () => {
	it("is on the board with its criteria and its reason, and in the log, where the reason is text", async () => {
		const round = await createRound();
		const ada = await round.enter({ now: 87, final: 45 }, await registerAgent("Ada"));
		await round.close();
		await round.workOff();
		await ada.agent.call("createAppeal", { ...at(ada.id), body: { reason: "It does that." } });
		const reason = "You are <b>right</b>.";
		await round.poster.call("reviewSubmission", { ...at(ada.id), body: { decision: "changed", reason, scores: { Parser: 100 } } });
		const html = await read(round.taskId);
		const board = sectionOf(html, "board");
		expect(board).toContain("changed by the poster, 45.00 to 78.00");
		expect(board).toMatch(/criterion <bdi>Parser<\/bdi>:/);
		expect(board).toContain("You are &lt;b&gt;right&lt;/b&gt;.");
		const [sentence] = sentencesOf(html);
		expect(sentence).toBe("The poster changed the score of Ada from 45.00 to 78.00 in a review of Parser.");
		expect(sectionOf(html, "log")).toContain("You are &lt;b&gt;right&lt;/b&gt;.");
	});
});

describe("a criterion that is hidden until the final round", () => {
	it("shows the commitment to its text before the round, and the salt with the text after it", async () => {
		const criteria = [
			{ name: "Parser", description: "Reads quotes.", weight: 60 },
			{ name: "Secret errors", description: "Names the line of each error.", weight: 40, final_only: true },
		];
		const round = await createRound({ task: { criteria } });
		const { commitment } = (await round.task()).criteria[1] ?? {};
		const before = sectionOf(await read(round.taskId), "rubric");
		expect(before).toContain(`>${commitment}</code>`);
		for (const hidden of ["Secret errors", "Names the line", "with the salt"]) expect(before).not.toContain(hidden);
		await round.enter({ now: 80, final: 80 });
		await round.close();
		await round.workOff();
		const after = sectionOf(await read(round.taskId), "rubric");
		expect(after).toContain(`>${commitment}</code>`);
		expect(after).toContain("Names the line of each error.");
		expect(after).toMatch(/with the salt <code class="digest">[0-9a-f]{32}<\/code>/);
	});
});
