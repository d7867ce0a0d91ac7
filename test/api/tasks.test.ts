import { describe, expect, it } from "vitest";
import { createClient } from "../support/client.ts";
import { readTaskRow } from "../support/house.ts";
import { createDraft, GOOD_FILES, hoursFromNow, openTask, registerAgent, submit, taskInput, testSuiteForm } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";

const [poster, stranger] = [await registerAgent("Poster"), await registerAgent("Stranger")];

const at = (id: string) => ({ params: { id } });
const CALLBACK = "https://judge.example.com/";
const RUBRIC = [
	{ name: "One", weight: 25 },
	{ name: "Two", description: "second", weight: 75, position: 5 },
];

describe("a draft", () => {
	it("accepts no submissions, not even its owner's", async () => {
		const { id } = await createDraft(poster);
		await poster.refused("quickSubmit", "TASK_NOT_OPEN", { ...at(id), body: { files: GOOD_FILES } });
	});
});

describe("changing a draft", () => {
	it("changes the fields that are given and no others", async () => {
		const { id, rubric_criteria: _, ...before } = await createDraft(poster);
		const change = {
			title: "New",
			description: null,
			input_spec: "in",
			output_spec: "out",
			budget_cents: 10_000,
			deadline: "2091-01-01T00:00:00.000Z",
			category: "parsers",
			eval_network: true,
			eval_memory_mb: 2048,
			eval_timeout_seconds: 1200,
			max_submissions_per_agent: 25,
		};
		const after = await poster.call("updateTask", { ...at(id), body: { ...change, category: "Parsers" } });
		expect(after).toEqual({ ...before, id, ...change, winner_gets_cents: 9_000, quota: { used: 0, limit: 25, remaining: 25 } });
		expect(await poster.call("getTask", at(id))).toEqual(after);
		expect(await poster.call("updateTask", { ...at(id), body: {} })).toEqual(after);
	});

	it("sets the weights of a new mode, and requires an image if the mode needs one", async () => {
		const { id } = await createDraft(poster);
		const patch = (body: unknown) => poster.call("updateTask", { ...at(id), body });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_mode: "container" } });
		expect(await patch({ eval_mode: "container", eval_image: "judge:1" })).toMatchObject({ test_weight: 100, llm_weight: 0 });
		expect(await patch({ eval_mode: "hybrid" })).toMatchObject({ eval_image: "judge:1", test_weight: 50, llm_weight: 50 });
		expect(await patch({ eval_image: null })).toMatchObject({ eval_mode: "hybrid", eval_image: null });
		await poster.refused("publishTask", "BAD_REQUEST", at(id));
		for (const eval_image of ["--privileged", "a b", "/var/lib", "http://registry.example/judge"]) {
			await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_image } });
		}
		await poster.refused("publishTask", "BAD_REQUEST", at(id));
		expect(await patch({ eval_mode: null })).toMatchObject({ eval_mode: "llm", test_weight: 0, llm_weight: 100 });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_mode: "external" } });
	});

	it("names each field that it refuses", async () => {
		const { id } = await createDraft(poster);
		const before = await snapshotStorage();
		const body = { title: "New", criteria: RUBRIC, status: "open", tittle: "x" };
		const { details } = await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body });
		expect(details).toEqual(["criteria", "status", "tittle"].map((path) => ({ path, message: `${path} is not a field of this request` })));
		expect(await snapshotStorage()).toEqual(before);
	});

	it("changes the weights of a hybrid task only; one weight implies the other", async () => {
		const { id } = await createDraft(poster, { eval_mode: "hybrid", eval_image: "judge:1" });
		const patch = (body: unknown) => poster.call("updateTask", { ...at(id), body });
		expect(await patch({ llm_weight: 30 })).toMatchObject({ test_weight: 70, llm_weight: 30 });
		expect(await patch({ title: "Same weights" })).toMatchObject({ test_weight: 70, llm_weight: 30 });
		await poster.refused("updateTask", "INVALID_WEIGHTS", { ...at(id), body: { test_weight: 70, llm_weight: 40 } });
		await poster.refused("updateTask", "INVALID_WEIGHTS", { ...at(id), body: { eval_mode: "llm", test_weight: 70 } });
		expect(await patch({ eval_mode: "llm" })).toMatchObject({ test_weight: 0, llm_weight: 100 });
		await poster.refused("updateTask", "INVALID_WEIGHTS", { ...at(id), body: { test_weight: 50 } });
		expect(await patch({ eval_mode: "hybrid", test_weight: 10 })).toMatchObject({ test_weight: 10, llm_weight: 90 });
	});

	it("returns a callback token once when the task becomes external, and the token works", async () => {
		const { id } = await createDraft(poster);
		const patch = (body: unknown) => poster.call("updateTask", { ...at(id), body });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_mode: "llm", eval_callback_url: CALLBACK } });
		const changed = await patch({ eval_callback_url: CALLBACK });
		expect(changed).toMatchObject({ eval_mode: "external", eval_callback_url: CALLBACK, test_weight: 0, llm_weight: 100 });
		expect(changed.eval_callback_token).toMatch(/^svc_evaltok_[0-9a-f]{32}$/);
		expect(await poster.call("getTask", at(id))).not.toHaveProperty("eval_callback_token");
		const moved = await patch({ eval_mode: "external", eval_callback_url: `${CALLBACK}2` });
		expect(moved).toMatchObject({ eval_mode: "external", eval_callback_url: `${CALLBACK}2` });
		expect(moved).not.toHaveProperty("eval_callback_token");
		expect(await patch({ eval_mode: "external", title: "Still there" })).toMatchObject({ eval_callback_url: `${CALLBACK}2` });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { eval_callback_url: null } });
		await poster.call("publishTask", at(id));
		const submission = await stranger.call("createSubmission", at(id));
		const score = { callback_token: changed.eval_callback_token, final_score: 50 };
		expect(await stranger.call("postExternalScore", { ...at(submission.id), body: score })).toMatchObject({ status: "completed" });
	});

	it("keeps chosen weights as long as the mode stays", async () => {
		const { id } = await createDraft(poster, { eval_mode: "hybrid", eval_image: "judge:1", test_weight: 20 });
		expect(await poster.call("updateTask", { ...at(id), body: { eval_mode: "hybrid", title: "Same" } })).toMatchObject({ test_weight: 20 });
	});

	it("drops the callback and its token when the task is no longer external", async () => {
		const { id } = await createDraft(poster, { eval_callback_url: "https://judge.example.com/" });
		expect(await poster.call("updateTask", { ...at(id), body: { eval_mode: "llm" } })).toMatchObject({
			eval_mode: "llm",
			eval_callback_url: null,
		});
		const row = await readTaskRow(id, "eval_callback_token_hash, eval_callback_token_encrypted");
		expect(row).toEqual({ eval_callback_token_hash: null, eval_callback_token_encrypted: null });
	});

	it("refuses what creation refuses", async () => {
		const { id } = await createDraft(poster);
		const wrong = [
			...[{ title: "" }, { title: null }, { description: "d".repeat(10_001) }, { budget_cents: 9999 }, { deadline: hoursFromNow(23) }],
			...[{ deadline: "2090-01-01" }, { eval_mode: "other" }, { eval_image: "" }, { max_submissions_per_agent: 26 }, { input_spec: 1 }],
			...[{ category: "" }, { category: null }, { eval_network: "yes" }, { eval_memory_mb: 511 }, { eval_timeout_seconds: 3601 }],
			...[{ test_weight: 101 }, { eval_callback_url: "ftp://judge.example.com" }, { criteria: [] }, { eval_mode: "external" }],
		];
		const before = await snapshotStorage();
		for (const body of wrong) await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body });
		expect(await snapshotStorage()).toEqual(before);
	});
});

describe("replacing the rubric", () => {
	/** A new criterion without these fields gets them. */
	const BARE = { evidence: "work", checks: [], whole_checks: [], final_only: false };

	it("replaces all of it", async () => {
		const { id } = await createDraft(poster);
		const { criteria } = await poster.call("replaceRubric", { ...at(id), body: { criteria: RUBRIC } });
		expect(criteria).toEqual([
			{ name: "One", description: null, weight: 25, position: 0, ...BARE },
			{ name: "Two", description: "second", weight: 75, position: 5, ...BARE },
		]);
		expect((await poster.call("getTask", at(id))).criteria).toEqual(criteria);
	});

	it("keeps the old one if the new one is refused", async () => {
		const { id, criteria } = await createDraft(poster);
		const wrong = [{ criteria: [] }, { criteria: null }, {}, { criteria: [{ name: "x" }] }, { criteria: [RUBRIC[0], RUBRIC[0]] }];
		for (const body of wrong) await poster.refused("replaceRubric", "INVALID_BODY", { ...at(id), body });
		for (const weights of [[50], [50, 51], [-1, 101]]) {
			const body = { criteria: weights.map((weight, index) => ({ name: `${index}`, weight })) };
			await poster.refused("replaceRubric", "INVALID_WEIGHTS", { ...at(id), body });
		}
		expect((await poster.call("getTask", at(id))).criteria).toEqual(criteria);
	});

	it("is atomic: of rubrics sent in parallel, one is stored completely", async () => {
		const { id } = await createDraft(poster);
		const rubrics = Array.from({ length: 8 }, (_, n) =>
			Array.from({ length: n + 1 }, (_, i) => ({ name: `${n}.${i}`, weight: 100 / (n + 1) })),
		);
		const answers = await Promise.all(rubrics.map((criteria) => poster.send("replaceRubric", { ...at(id), body: { criteria } })));
		expect(answers.map(({ status }) => status)).toEqual(rubrics.map(() => 200));
		const { criteria } = await poster.call("getTask", at(id));
		const [family] = criteria[0]?.name.split(".") ?? [];
		expect(criteria.map(({ name }) => name)).toEqual(rubrics[Number(family)]?.map(({ name }) => name));
	});
});

it("merges many parallel PATCHes of different fields", async () => {
	const { id } = await createDraft(poster);
	const deadline = hoursFromNow(72);
	const changes = [
		{ title: "Merged" },
		{ description: "Of many changes" },
		{ budget_cents: 12_345 },
		{ deadline },
		{ max_submissions_per_agent: 7 },
		{ category: "merging" },
		...["a", "b", "c"].map(() => ({ title: "Merged" })),
	];
	const answers = await Promise.all(changes.map((body) => poster.send("updateTask", { ...at(id), body })));
	expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
	expect(await poster.call("getTask", at(id))).toMatchObject(Object.assign({}, ...changes));
});

it("accepts 30 parallel changes of one draft, of fields and of its test suite", async () => {
	const { id } = await createDraft(poster);
	const titles = Array.from({ length: 15 }, (_, number) => `Title ${number}`);
	const answers = await Promise.all([
		...titles.map((title) => poster.send("updateTask", { ...at(id), body: { title } })),
		...titles.map(() => poster.send("uploadTestSuite", { ...at(id), rawBody: testSuiteForm() })),
	]);
	expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
	expect(titles).toContain((await poster.call("getTask", at(id))).title);
});

describe("publishing", () => {
	it("opens a draft", async () => {
		const { id, title } = await createDraft(poster);
		const few = { code: "CHECKS_FEW", message: expect.any(String) };
		expect(await poster.call("publishTask", at(id))).toEqual({
			id,
			status: "open",
			title,
			warnings: [few, few],
			criteria: expect.any(Array),
		});
		expect(await stranger.call("getTask", at(id))).toMatchObject({ id, status: "open", criteria: [{ name: "Parser" }, { name: "Tests" }] });
	});

	it("needs a rubric, and a deadline in the future", async () => {
		const { id } = await createDraft(poster, { criteria: undefined });
		await poster.refused("publishTask", "INVALID_WEIGHTS", at(id));
		await poster.call("replaceRubric", { ...at(id), body: { criteria: RUBRIC } });
		await poster.call("publishTask", at(id));
	});

	it("ends editing", async () => {
		const id = await openTask(poster);
		await poster.refused("updateTask", "CONFLICT", { ...at(id), body: { title: "Late" } });
		await poster.refused("replaceRubric", "CONFLICT", { ...at(id), body: { criteria: RUBRIC } });
		await poster.call("closeTask", at(id));
		await poster.refused("updateTask", "CONFLICT", { ...at(id), body: { title: "Late" } });
		await poster.refused("replaceRubric", "CONFLICT", { ...at(id), body: { criteria: RUBRIC } });
	});

	it("hides from others what only the owner sees", async () => {
		const id = await openTask(poster, { eval_callback_url: "https://judge.example.com/secret" });
		expect(JSON.stringify(await stranger.call("getTask", at(id)))).not.toContain("judge.example.com");
		expect(await poster.call("getTask", at(id))).toMatchObject({ eval_callback_url: "https://judge.example.com/secret" });
	});
});

describe("closing", () => {
	it("closes an open task and nothing else", async () => {
		const { id } = await createDraft(poster);
		await poster.refused("closeTask", "INVALID_TRANSITION", at(id));
		await poster.call("publishTask", at(id));
		expect(await poster.call("closeTask", at(id))).toEqual({ id, status: "closed" });
		for (const operation of ["closeTask", "publishTask"] as const) await poster.refused(operation, "INVALID_TRANSITION", at(id));
		await stranger.refused("quickSubmit", "TASK_NOT_OPEN", { ...at(id), body: { files: GOOD_FILES } });
	});
});

describe("the order of checks", () => {
	it("puts the path before query and body, and these before existence", async () => {
		const missing = "01900000-0000-7000-8000-000000000000";
		await stranger.refused("updateTask", "INVALID_UUID", { ...at("no-uuid"), body: [] });
		await stranger.refused("updateTask", "INVALID_BODY", { ...at(missing), body: { deadline: hoursFromNow(1) } });
		await stranger.refused("replaceRubric", "INVALID_WEIGHTS", { ...at(missing), body: { criteria: [{ name: "x", weight: 1 }] } });
		await stranger.refused("listTaskSubmissions", "INVALID_UUID", { ...at("no-uuid"), query: { limit: "x" } });
	});

	it("accepts ids in either case", async () => {
		const id = await openTask(poster);
		expect(await stranger.call("getTask", at(id.toUpperCase()))).toMatchObject({ id });
	});
});

describe("races", () => {
	it("a parallel PATCH and publish leave the task that was published", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { id } = await createDraft(poster);
			const [patched, published] = await Promise.all([
				poster.send("updateTask", { ...at(id), body: { title: "Patched" } }),
				poster.send("publishTask", at(id)),
			]);
			expect(published.status).toBe(200);
			const { title } = await poster.call("getTask", at(id));
			expect({ status: patched.status, title }).toEqual(
				patched.status === 200 ? { status: 200, title: "Patched" } : { status: 409, title: taskInput()["title"] },
			);
			expect(await published.json()).toMatchObject({ title });
		}
	});

	it("a parallel rubric and publish never publish half a rubric", async () => {
		for (let round = 0; round < 5; round += 1) {
			const { id } = await createDraft(poster);
			const [replaced] = await Promise.all([
				poster.send("replaceRubric", { ...at(id), body: { criteria: RUBRIC } }),
				poster.send("publishTask", at(id)),
			]);
			const names = (await poster.call("getTask", at(id))).criteria.map(({ name }) => name);
			expect(names).toEqual(replaced.status === 200 ? ["One", "Two"] : ["Parser", "Tests"]);
		}
	});
});

describe("counters", () => {
	it("count each competitor once for any number of submissions, also in parallel", async () => {
		const id = await openTask(poster);
		const agents = await Promise.all(Array.from({ length: 4 }, () => registerAgent()));
		await Promise.all(agents.flatMap((agent) => [submit(agent, id), submit(agent, id)]));
		await submit(poster, id);
		const { data } = await createClient().call("listPublicTasks");
		expect(data.find((task) => task.id === id)).toMatchObject({ competitor_count: 5 });
		expect(await poster.call("getTask", at(id))).toMatchObject({ competitor_count: 5, quota: { used: 1, limit: 15, remaining: 14 } });
	});
});

describe("parallel creation", () => {
	it("gives each its own task", async () => {
		const tasks = await Promise.all(Array.from({ length: 10 }, () => poster.call("createTask", { body: taskInput() })));
		expect(new Set(tasks.map(({ id }) => id)).size).toBe(10);
	});
});
