// Tests the lint over HTTP: who may lint what, and the warning of creating and publishing.
import { describe, expect, it } from "vitest";
import { createDraft, registerAgent } from "../../support/scenario.ts";

const poster = await registerAgent();
const at = (id: string) => ({ params: { id } });
const GOOD = { name: "Parser", description: "Reads quoted fields. Reads line breaks in them.", weight: 60 };
const VAGUE = { name: "Code", description: "Clean and elegant. Simple and tidy.", weight: 39.5 };
const TINY = { name: "Greets", description: "Prints hello when it starts. Prints a farewell.", weight: 0.5 };

describe("POST /api/v1/tasks/{id}/lint", () => {
	it("lists what its rules find, and changes nothing", async () => {
		const { id } = await createDraft(poster, { criteria: [GOOD, VAGUE, TINY] });
		const before = await poster.call("getTask", at(id));
		const { findings } = await poster.call("lintTask", at(id));
		expect(findings).toEqual([
			{ criterion: "Code", code: "VAGUE", severity: "error", message: expect.stringMatching(/\w/) },
			{ criterion: "Greets", code: "TINY_WEIGHT", severity: "hint", message: expect.stringMatching(/\w/) },
		]);
		expect(await poster.call("lintTask", at(id))).toEqual({ findings });
		expect(await poster.call("getTask", at(id))).toEqual(before);
	});

	it("works in every status, also for a draft without a rubric", async () => {
		const { id } = await createDraft(poster, { criteria: undefined });
		expect(await poster.call("lintTask", at(id))).toEqual({ findings: [] });
		await poster.call("replaceRubric", { ...at(id), body: { criteria: [{ ...GOOD, weight: 100 }] } });
		await poster.call("publishTask", at(id));
		expect(await poster.call("lintTask", at(id))).toEqual({ findings: [] });
		await poster.call("closeTask", at(id));
		expect(await poster.call("lintTask", at(id))).toEqual({ findings: [] });
	});
});

describe("the warning RUBRIC_LINT", () => {
	const warning = { code: "RUBRIC_LINT", message: expect.stringContaining('"Code" is VAGUE') };

	it("comes with creating, cloning and publishing a task whose rubric has errors or warnings, and blocks neither", async () => {
		const created = await createDraft(poster, { criteria: [GOOD, { ...VAGUE, weight: 40 }] });
		expect(created.warnings).toEqual([warning]);
		expect((await poster.call("cloneTask", at(created.id))).warnings).toEqual([warning]);
		expect(await poster.call("publishTask", at(created.id))).toMatchObject({ status: "open", warnings: [warning] });
	});
});
