// Tests what publishing fixes: the attachments that the judge reads, the digest over everything that it sees, and hidden criteria.
import { describe, expect, it } from "vitest";
import { verifyReceipt } from "../../packages/sdk/src/receipt/verify.ts";
import { verifyTask } from "../../packages/sdk/src/receipt/verify-task.ts";
import { canonicalJson } from "../../src/domain/canonical-json.ts";
import { createClient } from "../support/client.ts";
import { suiteForm } from "../support/container-judging.ts";
import { createRound, finishedWith, scriptedJudge } from "../support/final-round.ts";
import { sha256Hex } from "../support/hashes.ts";
import { honest, scriptJudge } from "../support/judge-script.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { awaitEvaluation, createDraft, openTask, type RegisteredClient, registerAgent, submit, taskInput } from "../support/scenario.ts";
import { MB } from "../support/uploads.ts";

const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
const nobody = createClient();
const at = (id: string) => ({ params: { id } });
/** Writes the value to JSON and reads it again, as a file would. */
const asFile = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

function attach(client: Pick<RegisteredClient, "call">, id: string, [name, content]: readonly [string, string]) {
	const rawBody = new FormData();
	rawBody.set("field", "input_spec");
	rawBody.set("file", new File([content], name));
	return client.call("addAttachment", { ...at(id), rawBody });
}

/** Returns both views of a published task. */
async function readViews(id: string) {
	return { detail: await agent.call("getTask", at(id)), shown: await nobody.call("getPublicTask", at(id)) };
}

describe("the attachments of a published task", () => {
	it("are read by the judge as they were at publish: a deleted one still, a later one never", async () => {
		const script = await scriptJudge([{ steps: [honest()] }]);
		const platform = judgedPlatform(judgeOf(script));
		const owner = platform.as(poster);
		const { id } = await owner.call("createTask", { body: taskInput() });
		const early = await attach(owner, id, ["early.txt", "Amounts are in cents."]);
		const gone = await attach(owner, id, ["gone.txt", "A forgotten format."]);
		await owner.call("deleteAttachment", { params: { id, attachmentId: gone.id } });
		await owner.call("publishTask", at(id));
		await owner.call("deleteAttachment", { params: { id, attachmentId: early.id } });
		await attach(owner, id, ["early.txt", "Amounts are in euros."]);
		await submit(platform.as(agent), id);
		await platform.workOff();
		const prompts = (await script.seen()).calls.map(({ user }) => user).join("\n");
		expect(prompts).toContain('Attachment "early.txt":\n    Amounts are in cents.\n');
		expect(prompts).not.toMatch(/euros|forgotten/);
		expect((await agent.call("getTask", at(id))).judged_attachments).toEqual([
			{ field: "input_spec", filename: "early.txt", sha256: await sha256Hex("Amounts are in cents.") },
		]);
	});

	it("say whether the judge reads them: null in a draft, then true for the text files of that moment", async () => {
		const { id } = await createDraft(poster);
		expect((await attach(poster, id, ["a.csv", "a,b\n"])).judged).toBeNull();
		await attach(poster, id, ["b.pdf", "%PDF-1.7 "]);
		await attach(poster, id, ["c.json", "{}"]);
		const judged = async () => (await poster.call("listAttachments", at(id))).map((each) => [each.filename, each.judged]);
		expect(await judged()).toEqual([
			["a.csv", null],
			["b.pdf", null],
			["c.json", null],
		]);
		expect(await poster.call("getTask", at(id))).toMatchObject({ task_sha256: null, judged_attachments: [] });
		await poster.call("publishTask", at(id));
		expect((await attach(poster, id, ["d.txt", "later"])).judged).toBe(false);
		expect(await judged()).toEqual([
			["a.csv", true],
			["b.pdf", false],
			["c.json", true],
			["d.txt", false],
		]);
		const { judged_attachments } = await nobody.call("getPublicTask", at(id));
		expect(judged_attachments.map(({ filename }) => filename)).toEqual(["a.csv", "c.json"]);
	});

	it("have the digest of the whole file, of which the task copies the beginning", async () => {
		const { id } = await createDraft(poster);
		const content = "é".repeat(MB);
		await attach(poster, id, ["long.txt", content]);
		await poster.call("publishTask", at(id));
		const { shown } = await readViews(id);
		expect(shown.judged_attachments).toMatchObject([{ sha256: await sha256Hex(content) }]);
	});
});

describe("task_sha256", () => {
	it("is the SHA-256 of the canonical JSON of what the judge sees", async () => {
		const { id } = await createDraft(poster, {
			description: "Reads CSV.",
			output_spec: "JSON",
			criteria: [{ name: "Parser", weight: 100, checks: ["Quotes are read", "Commas are read"], evidence: "any" }],
		});
		await attach(poster, id, ["a.csv", "a,b\n"]);
		const published = await poster.call("publishTask", at(id));
		const { detail, shown } = await readViews(id);
		expect(published.criteria).toEqual(detail.criteria);
		const text = canonicalJson({
			...{ title: shown.title, description: "Reads CSV.", category: "general", input_spec: "", output_spec: "JSON" },
			...{ eval_mode: "llm", test_weight: 0, llm_weight: 100, test_suite_sha256: null, eval_image_digest: null },
			criteria: [
				{
					...{ name: "Parser", description: null, weight: 100, position: 0, evidence: "any", whole_checks: [] },
					checks: ["Quotes are read", "Commas are read"],
				},
			],
			attachments: [{ field: "input_spec", filename: "a.csv", sha256: await sha256Hex("a,b\n") }],
		});
		expect(shown.task_sha256).toBe(await sha256Hex(text));
		expect(detail.task_sha256).toBe(shown.task_sha256);
	});

	it("is computed again from both views, and from neither when a byte of it has changed", async () => {
		const { id } = await createDraft(poster, { eval_mode: "hybrid", eval_image: `ghcr.io/a/b@sha256:${"ab".repeat(32)}` });
		const suite = { test_cases: [{ name: "Adds", input: "1 1", expected_output: "2", match_type: "exact" }] };
		await poster.call("uploadTestSuite", { ...at(id), rawBody: suiteForm(suite) });
		await attach(poster, id, ["a.csv", "a,b\n"]);
		await poster.call("publishTask", at(id));
		const { detail, shown } = await readViews(id);
		expect(shown).toMatchObject({ test_suite_sha256: expect.any(String), eval_image_digest: `sha256:${"ab".repeat(32)}` });
		for (const view of [detail, shown]) {
			const digest = shown.task_sha256 ?? "";
			expect(await verifyTask(asFile(view), digest)).toBe(digest);
			await expect(verifyTask(asFile(view), "0".repeat(64))).rejects.toThrow(`The task's SHA-256 is ${digest}, but 000`);
			const [first, ...others] = view.criteria;
			const [file] = view.judged_attachments;
			const changes = [
				...[{ title: `${view.title} ` }, { description: "" }, { category: "x" }, { input_spec: "x" }, { output_spec: "x" }],
				...[{ eval_mode: "container" }, { test_weight: 1 }, { llm_weight: 99 }, { test_suite_sha256: null }, { eval_image_digest: null }],
				...[{ judged_attachments: [] }, { judged_attachments: [{ ...file, filename: "b.csv" }] }, { criteria: others }],
				...[{ weight: 59 }, { position: 2 }, { name: "parser" }, { description: null }, { checks: [] }].map((change) => {
					return { criteria: [{ ...first, ...change }, ...others] };
				}),
				...[{ evidence: "any" }, { whole_checks: [0] }].map((change) => ({ criteria: [{ ...first, ...change }, ...others] })),
			];
			for (const change of changes) {
				await expect(verifyTask(asFile({ ...view, ...change })), JSON.stringify(change)).rejects.toThrow(/its task_sha256 says/);
			}
		}
	});

	it("is null in a draft, which has nothing to verify", async () => {
		const draft = await createDraft(poster);
		expect(draft).toMatchObject({ task_sha256: null, test_suite_sha256: null, eval_image_digest: null, judged_attachments: [] });
		await expect(verifyTask(asFile(draft))).rejects.toThrow(/is a draft/);
	});

	it("stays the same when attachments come and go, and is in the receipt of each evaluation", async () => {
		const taskId = await openTask(poster);
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await attach(poster, taskId, ["later.txt", "later"]);
		const { shown } = await readViews(taskId);
		const [evaluation] = (await agent.call("listEvaluations", at(id))).data;
		const keys = await nobody.call("getReceiptKeys");
		const { claims } = await verifyReceipt(evaluation, keys, { task: asFile(shown) });
		expect(claims.task_sha256).toBe(shown.task_sha256);
		const other = asFile((await readViews(await openTask(poster, { title: "Another one" }))).shown);
		await expect(verifyReceipt(evaluation, keys, { task: other })).rejects.toThrow(
			`The task's SHA-256 is ${other.task_sha256}; the receipt says ${shown.task_sha256}.`,
		);
	});

	it("covers the draft as it is published, when many change it at once", async () => {
		const { id } = await createDraft(poster);
		const changes = Array.from({ length: 8 }, (_, index) => poster.send("updateTask", { ...at(id), body: { title: `Title ${index}` } }));
		const [published] = await Promise.all([poster.send("publishTask", at(id)), attach(poster, id, ["a.txt", "a"]), ...changes]);
		expect(published.status).toBe(200);
		const { detail, shown } = await readViews(id);
		expect(await verifyTask(asFile(detail))).toBe(shown.task_sha256);
		const [file] = await poster.call("listAttachments", at(id));
		expect(file?.judged).toBe(shown.judged_attachments.length === 1);
	});
});

describe("a hidden criterion", () => {
	const HIDDEN = {
		criteria: [
			{ name: "Parser", description: "quotes", weight: 70 },
			{ name: "Speed", description: "Answers a million rows", weight: 30, final_only: true, evidence: "any" },
		],
		final_round: true,
	};
	const judge = scriptedJudge({
		evaluate: async (request) => finishedWith(request, () => Array<number>(request.samples).fill(80)),
	});

	it("is committed to at publish, and its text proves right once the round has ended", async () => {
		const round = await createRound({ judge, task: HIDDEN });
		const entered = await round.enter({ now: 0, final: 0 });
		const before = await readViews(round.taskId);
		const own = await round.poster.call("getTask", at(round.taskId));
		const digest = own.task_sha256 ?? "";
		for (const view of [before.detail, before.shown, own]) {
			expect(view.criteria[1]).toMatchObject({ final_only: true, commitment: expect.stringMatching(/^[0-9a-f]{64}$/) });
			expect(view.criteria[1]).not.toHaveProperty("salt");
			expect(view.criteria[0]).not.toHaveProperty("commitment");
			expect(await verifyTask(asFile(view))).toBe(digest);
		}
		const keys = await nobody.call("getReceiptKeys");
		const [ordinary] = (await entered.agent.call("listEvaluations", at(entered.id))).data;
		await verifyReceipt(ordinary, keys, { task: asFile(before.shown) });

		await round.close();
		await round.workOff();
		const after = await readViews(round.taskId);
		const [, speed] = after.shown.criteria;
		expect(speed).toMatchObject({ name: "Speed", salt: expect.stringMatching(/^[0-9a-f]{32}$/) });
		const said = {
			name: "Speed",
			description: "Answers a million rows",
			checks: ["Answers a million rows"],
			evidence: "any",
			whole_checks: [],
		};
		expect(speed?.commitment).toBe(await sha256Hex(canonicalJson({ salt: speed?.salt ?? "", ...said })));
		for (const view of [after.detail, after.shown]) {
			expect(await verifyTask(asFile(view), digest)).toBe(digest);
			const criteria = view.criteria.map((each) => (each.name === "Speed" ? { ...each, description: "Something else" } : each));
			await expect(verifyTask(asFile({ ...view, criteria }))).rejects.toThrow('The text of "Speed" has the commitment');
		}
		const { data } = await entered.agent.call("listEvaluations", at(entered.id));
		for (const evaluation of data) await verifyReceipt(evaluation, keys, { task: asFile(after.detail) });
		const final = data.find((each) => each.round === "final");
		await expect(verifyReceipt(final, keys, { task: asFile(before.detail) })).rejects.toThrow(/Read the task again after its final round/);
	});

	it("has no commitment in a draft or a clone, and a salt of its own in each task", async () => {
		const draft = await createDraft(poster, HIDDEN);
		expect(draft.criteria[1]).not.toHaveProperty("commitment");
		const first = await poster.call("publishTask", at(draft.id));
		const copy = await poster.call("cloneTask", { ...at(draft.id), body: {} });
		expect(copy.criteria[1]).not.toHaveProperty("commitment");
		expect(copy.criteria[1]).toMatchObject({ name: "Speed", evidence: "any", whole_checks: [], checks: ["Answers a million rows"] });
		const second = await poster.call("publishTask", at(copy.id));
		expect(second.criteria[1]?.commitment).not.toBe(first.criteria[1]?.commitment);
	});
});
