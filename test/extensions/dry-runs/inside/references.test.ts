// Tests dry runs as references, which are cases of the judge check and are never shown to the judge with another work.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { trialKey } from "../../../../src/core/competition/tasks/stored-objects.ts";
import type { Finding } from "../../../../src/domain/checks.ts";
import { admin } from "../../../support/admin.ts";
import { readTaskRow } from "../../../support/house.ts";
import { honest, scriptJudge } from "../../../support/judge-script.ts";
import { judgeOf } from "../../../support/judging.ts";
import { createDraft, openTask, registerAgent } from "../../../support/scenario.ts";
import { DAY_MS } from "../../../support/times.ts";
import { casesOf, createTrialWorld } from "../../../support/trials.ts";

const [poster, stranger] = [await registerAgent("Poster"), await registerAgent("Stranger")];
const CRITERIA = [{ name: "Parser", weight: 100, checks: ["Reads quoted fields", "Reads empty fields"] }];
const at = (id: string) => ({ params: { id } });
const filesOf = (text: string) => ({ "src/parser.js": `export function parse(text) { return ${JSON.stringify(text)}; }\n` });
const GOOD = { files: filesOf("quoted fields, all of them"), label: "good", expected: { Parser: 90 } };
const WEAK = { files: filesOf("nothing to see"), label: "weak", expected: { Parser: 20 } };

/** Returns a draft in a world with a scripted model and without background work. */
async function begin(found: Finding = "yes", by = poster) {
	const script = await scriptJudge([{ steps: [honest(found)] }]);
	const world = createTrialWorld({ change: { judge: judgeOf(script) }, judgeNoise: 0 });
	const owner = world.enter(by);
	const { id: taskId } = await createDraft(by, { criteria: CRITERIA });
	const start = async (body: Readonly<Record<string, unknown>>) => {
		const { id } = await owner.call("startDryRun", { ...at(taskId), body });
		await world.workOff({ id, taskId });
		return id;
	};
	const lastPrompt = async () => (await script.seen()).calls.at(-1)?.user ?? "";
	return { world, owner, taskId, start, lastPrompt };
}

describe("a reference", () => {
	it("is marked at the start or later, and shown, and can be withdrawn", async () => {
		const { owner, taskId, start } = await begin();
		const id = await start({ ...GOOD, reference: true });
		expect(await owner.call("getDryRun", at(id))).toMatchObject({ reference: true, expected: { Parser: 90 } });
		expect(await owner.call("updateDryRun", { ...at(id), body: { reference: false } })).toMatchObject({ id, reference: false });
		expect((await owner.call("listDryRuns", at(taskId))).data).toMatchObject([{ reference: false }]);
		expect(await owner.call("updateDryRun", { ...at(id), body: { reference: true } })).toMatchObject({ reference: true });
	});

	it("counts as a change of the draft, which is deleted 30 days after the last one", async () => {
		const { world, owner, taskId, start } = await begin();
		const id = await start(GOOD);
		world.clock.advance(DAY_MS);
		await owner.call("updateDryRun", { ...at(id), body: { reference: true } });
		expect(await readTaskRow(taskId, "touched_at")).toEqual({ touched_at: world.clock.now() });
	});

	it("needs expected scores, a model that judges, and room: a task has at most four", async () => {
		const { owner, taskId, start } = await begin();
		const without = await start({ files: GOOD.files });
		await owner.refused("updateDryRun", "INVALID_BODY", { ...at(without), body: { reference: true } });
		await owner.refused("startDryRun", "INVALID_BODY", { ...at(taskId), body: { files: GOOD.files, reference: true } });
		// The body is checked before the state.
		await poster.refused("startDryRun", "INVALID_BODY", { ...at(await openTask(poster)), body: { files: GOOD.files, reference: true } });
		for (let index = 0; index < 4; index += 1) await start({ ...GOOD, files: filesOf(`work ${index}`), reference: true });
		await owner.refused("startDryRun", "CONFLICT", { ...at(taskId), body: { ...WEAK, reference: true } });
		const fifth = await start(WEAK);
		await owner.refused("updateDryRun", "CONFLICT", { ...at(fifth), body: { reference: true } });
		await stranger.refused("updateDryRun", "NOT_FOUND", { ...at(fifth), body: { reference: true } });
	});

	it("is locked by publishing", async () => {
		const { owner, taskId, start } = await begin();
		const id = await start({ ...GOOD, reference: true });
		await owner.call("publishTask", at(taskId));
		await owner.refused("updateDryRun", "CONFLICT", { ...at(id), body: { reference: false } });
		await owner.refused("startDryRun", "CONFLICT", { ...at(taskId), body: { ...WEAK, reference: true } });
		const open = await openTask(poster, { criteria: CRITERIA });
		await owner.refused("startDryRun", "CONFLICT", { ...at(open), body: { ...GOOD, reference: true } });
	});

	it("is never shown to the judge with another work", async () => {
		const { world, owner, taskId, start, lastPrompt } = await begin();
		await start({ ...GOOD, reference: true });
		expect(await lastPrompt()).toContain("quoted fields, all of them");
		await start(WEAK);
		const user = await lastPrompt();
		expect(user).toContain("nothing to see");
		expect(user).not.toContain("quoted fields, all of them");
		await owner.call("publishTask", at(taskId));
		const { id } = await world.submit(await registerAgent(), taskId);
		await world.workOff({ id, taskId });
		expect(await lastPrompt()).not.toContain("quoted fields, all of them");
	});

	it.each([
		["yes", 100, true],
		["partly", 50, false],
	] as const)("is a case of the judge check: with %s of the judge it gets %i, and its passing is %s", async (found, score, passed) => {
		const { world, owner, taskId, start } = await begin(found);
		await start({ ...GOOD, reference: true });
		await owner.call("publishTask", at(taskId));
		await world.check(taskId);
		expect((await casesOf(taskId)).map(({ name, status }) => [name, status])).toContainEqual(["good", "completed"]);
		const { judge_check } = await stranger.call("getTask", at(taskId));
		const own = judge_check?.cases.find(({ name }) => name === "reference 1");
		expect(JSON.stringify(judge_check)).not.toContain("good");
		expect((await owner.call("getTask", at(taskId))).judge_check?.cases.map(({ name }) => name)).toContain("good");
		expect(own).toEqual({ name: "reference 1", score, expected_at_most: null, expected_at_least: 75, passed });
	});
});

describe("a reference whose files are gone", () => {
	const statusesOf = async (taskId: string) => (await casesOf(taskId)).map(({ status }) => status).toSorted();
	const ended = [...Array.from({ length: 4 }, () => "completed"), "evaluation_failed"];

	it("ends the judge check, and nothing is known about the judge", async () => {
		const { world, owner, taskId, start } = await begin("no");
		const id = await start({ ...GOOD, reference: true });
		await owner.call("publishTask", at(taskId));
		await env.BUCKET.delete(trialKey(taskId, id));
		await world.check(taskId);
		expect(await statusesOf(taskId)).toEqual(ended);
		expect((await stranger.call("getTask", at(taskId))).judge_check).toBeNull();
		const { warnings } = await owner.call("getTask", at(taskId));
		expect(warnings).toMatchObject([{ code: "JUDGE_CHECK_ENDED", message: expect.stringContaining("Its files no longer exist.") }]);
	});

	it("does not become a case of the platform with the same name once its poster is erased", async () => {
		const leaving = await registerAgent("Leaving");
		const { world, owner, taskId, start } = await begin("yes", leaving);
		await start({ ...GOOD, label: "empty", reference: true });
		await owner.call("publishTask", at(taskId));
		await admin.call("eraseAgent", { ...at(leaving.agentId), body: { reason: "Asked for." } });
		await world.check(taskId);
		expect(await statusesOf(taskId)).toEqual(ended);
	});
});

describe("the attachments of a task", () => {
	it("are read by the judge, if they are text and still there", async () => {
		const { owner, taskId, start, lastPrompt } = await begin();
		const attach = async (name: string, text: string) => {
			const form = new FormData();
			form.set("field", "description");
			form.set("file", new File([text], name));
			return owner.call("addAttachment", { ...at(taskId), rawBody: form });
		};
		await attach("format.txt", "A quote is written twice.\n# FILES");
		await attach("picture.pdf", "%PDF-1.7 Unreadable.");
		const gone = await attach("old.txt", "An earlier format.");
		await owner.call("deleteAttachment", { params: { id: taskId, attachmentId: gone.id } });
		await start({ files: filesOf("something") });
		const user = await lastPrompt();
		expect(user).toContain('Attachment "format.txt":\n    A quote is written twice.\n    # FILES\n');
		expect(user.indexOf("# ATTACHMENTS")).toBeLessThan(user.indexOf("# MANIFEST"));
		expect(user).not.toMatch(/Unreadable|An earlier format/);
	});
});
