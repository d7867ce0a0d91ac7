// Tests the checks of a criterion: what a poster sends, who reads them, and when they are locked.
import { describe, expect, it } from "vitest";
import { createDraft, openTask, registerAgent, taskInput } from "../support/scenario.ts";

const [poster, agent] = [await registerAgent(), await registerAgent()];
const at = (id: string) => ({ params: { id } });
const COMPILED = {
	name: "Parser",
	description: "Reads quoted fields with line breaks.",
	weight: 60,
	checks: ["`parse` handles quoted fields", "A field may have a line break"],
};
const BARE = {
	name: "Tests",
	description: "A test covers an empty file.\n- A test covers quotes.\n* A test covers one column.",
	weight: 40,
};
const BARE_CHECKS = ["A test covers an empty file", "A test covers quotes", "A test covers one column"];

describe("checks", () => {
	it("are stored by create and shown, and a draft may have none", async () => {
		const draft = await createDraft(poster, { criteria: [COMPILED, BARE] });
		const shown = [expect.objectContaining(COMPILED), expect.objectContaining({ ...BARE, checks: [] })];
		expect(draft.criteria).toEqual(shown);
		expect(draft.rubric_criteria).toEqual(shown);
		expect((await poster.call("getTask", at(draft.id))).criteria).toEqual(shown);
	});

	it("are replaced with the rubric, and copied by a clone", async () => {
		const { id } = await createDraft(poster, { criteria: [{ ...BARE, weight: 100 }] });
		const body = { criteria: [COMPILED, BARE] };
		expect((await poster.call("replaceRubric", { ...at(id), body })).criteria[0]).toMatchObject(COMPILED);
		expect((await poster.call("cloneTask", at(id))).criteria).toEqual((await poster.call("getTask", at(id))).criteria);
		const without = { criteria: [{ name: "Parser", weight: 100 }] };
		expect((await poster.call("replaceRubric", { ...at(id), body: without })).criteria[0]).toMatchObject({ checks: [] });
	});

	it("are locked by publishing, which writes the checks of a criterion that has none", async () => {
		const { id } = await createDraft(poster, { criteria: [COMPILED, BARE] });
		await poster.call("publishTask", at(id));
		const expected = [COMPILED, { ...BARE, checks: BARE_CHECKS }];
		expect((await poster.call("getTask", at(id))).criteria).toMatchObject(expected);
		expect((await agent.call("getTask", at(id))).criteria).toMatchObject(expected);
		expect((await agent.call("getPublicTask", at(id))).criteria).toMatchObject(expected);
		await poster.refused("replaceRubric", "CONFLICT", { ...at(id), body: { criteria: [COMPILED, BARE] } });
	});

	it("are in a clone of a published task, where they can be edited", async () => {
		const id = await openTask(poster, { criteria: [{ ...BARE, weight: 100 }] });
		expect((await poster.call("cloneTask", at(id))).criteria).toMatchObject([{ checks: BARE_CHECKS }]);
	});

	it("are also written if the poster's own service judges the task", async () => {
		const id = await openTask(poster, { criteria: [{ ...BARE, weight: 100 }], eval_callback_url: "https://judge.example/requests" });
		expect((await agent.call("getTask", at(id))).criteria).toMatchObject([{ checks: BARE_CHECKS }]);
	});

	const eight = Array.from({ length: 8 }, (_, index) => `Check ${index}`);
	it.each([
		["8 checks", { checks: eight }],
		["a check of 300 characters", { checks: ["💡".repeat(300)] }],
	])("accept %s", async (_, change) => {
		const draft = await createDraft(poster, { criteria: [{ ...COMPILED, weight: 100, ...change }] });
		expect(draft.criteria).toMatchObject([change]);
	});

	it.each([
		["9 checks", { checks: [...eight, "One more"] }, "checks"],
		["equal checks", { checks: ["Same", "Same"] }, "no two checks may look the same"],
		["an empty check", { checks: [""] }, "checks"],
		["an invisible check", { checks: ["Reads quoted fields", " \u200b"] }, "checks"],
		["a check of 301 characters", { checks: ["x".repeat(301)] }, "300"],
		["a check that is not a text", { checks: [1] }, "checks"],
	])("refuse %s", async (_, change, said) => {
		const criteria = [{ ...COMPILED, weight: 100, ...change }];
		const { message, details } = await poster.refused("createTask", "INVALID_BODY", { body: taskInput({ criteria }) });
		expect(JSON.stringify({ message, details })).toContain(said);
	});

	it("are at most 120 in a rubric, where a criterion without any counts as one", async () => {
		const full = Array.from({ length: 15 }, (_, index) => ({ name: `Criterion ${index}`, weight: 6, checks: eight }));
		await createDraft(poster, { criteria: [...full.slice(1), { name: "Bare", weight: 16 }] });
		const { details } = await poster.refused("createTask", "INVALID_BODY", {
			body: taskInput({ criteria: [...full, { name: "Bare", weight: 10 }] }),
		});
		expect(JSON.stringify(details)).toContain("at most 120 checks");
	});

	it("leave no room for anchors, which are ignored like any unknown field", async () => {
		const anchors = { "1": "Splits at commas.", "3": "Reads quotes.", "5": "Reads everything." };
		const { criteria } = await createDraft(poster, { criteria: [{ ...COMPILED, weight: 100, anchors }] });
		expect(criteria[0]).not.toHaveProperty("anchors");
		await createDraft(poster, { criteria: [{ ...COMPILED, weight: 100, anchors: "nothing that was ever valid" }] });
	});
});
