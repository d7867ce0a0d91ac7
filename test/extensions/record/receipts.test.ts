// Tests the evaluations list, its receipts and their keys, as agents, posters and outsiders with another JOSE library use them.
import { eq } from "drizzle-orm";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { verifyReceipt } from "../../../packages/sdk/src/receipt/verify.ts";
import { writeReport } from "../../../src/core/competition/judgements/report.ts";
import { evaluations } from "../../../src/db/task/schema/submissions.ts";
import { RECEIPT_TYPE } from "../../../src/domain/receipts.ts";
import type { Deps } from "../../../src/ports/deps.ts";
import { type Client, createClient } from "../../support/client.ts";
import { createContainerTask } from "../../support/container-judging.ts";
import { createExternalTask } from "../../support/external-judging.ts";
import { done } from "../../support/grader-script.ts";
import { sha256Hex } from "../../support/hashes.ts";
import { honest, scriptJudge } from "../../support/judge-script.ts";
import { judgedPlatform } from "../../support/judged-platform.ts";
import { judgeOf, sampling } from "../../support/judging.ts";
import { awaitEvaluation, openTask, registerAgent, submit } from "../../support/scenario.ts";
import { inTask } from "../../support/task-object.ts";
import { HOUR_MS } from "../../support/times.ts";
import { createWorld, QUEUE } from "../../support/world.ts";

const nobody = createClient();
const of = (id: string) => ({ params: { id } });
/** Writes the value to JSON and reads it again, so that the test also loses what a file loses. */
const asFile = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Evaluation = Awaited<ReturnType<typeof readEvaluations>>[number];
type Keys = Awaited<ReturnType<typeof readKeys>>;

async function readEvaluations(client: Client, submissionId: string) {
	return (await client.call("listEvaluations", of(submissionId))).data;
}

async function readKeys(client: Client = nobody) {
	return client.call("getReceiptKeys");
}

const verify = (evaluation: unknown, keys: unknown) => verifyReceipt(asFile(evaluation), asFile(keys));

async function expectValid(evaluation: Evaluation, keys: Keys) {
	const own = await verify(evaluation, keys);
	const foreign = await jwtVerify(evaluation.receipt ?? "", createLocalJWKSet(keys), { algorithms: ["EdDSA"], typ: RECEIPT_TYPE });
	expect(foreign.payload).toEqual(own.claims);
	return own;
}

const poster = await registerAgent("Poster");
const agent = await registerAgent("Builder");

/** Returns a submission whose samples do not agree, three for each criterion, and its only evaluation. */
async function judgeWithModels() {
	const script = await scriptJudge([
		{ contains: "Name: Parser\n", steps: [honest("yes"), honest("no"), honest("partly")] },
		{ steps: [honest("no"), honest("no"), honest("yes")] },
	]);
	const choices = { JUDGE_MODELS: "model-a,model-b", JUDGE_CONFIRM: "true", JUDGE_CONFIRM_MODEL: "model-c", JUDGE_TEMPERATURE: "0.5" };
	const platform = judgedPlatform(sampling(judgeOf(script, choices), 3));
	const taskId = await openTask(platform.as(poster));
	const { id } = await submit(platform.as(agent), taskId);
	await platform.workOff();
	const [evaluation] = await readEvaluations(agent, id);
	if (evaluation === undefined) throw new Error("There is no evaluation.");
	return { platform, taskId, id, evaluation };
}

let judged: Awaited<ReturnType<typeof judgeWithModels>>;
let keys: Keys;
beforeAll(async () => {
	judged = await judgeWithModels();
	keys = await readKeys();
});

describe("the list of evaluations", () => {
	it("has every field of each, with the score of each criterion and its samples", async () => {
		const { evaluation, taskId, id } = judged;
		expect(evaluation).toMatchObject({
			iteration: 1,
			round: "submission",
			test_score: null,
			container_score: null,
			judge: "openai",
			models: ["model-a", "model-b"],
			confirmed_by: "model-c",
			prompt_version: expect.stringMatching(/./),
			rubric_version: 1,
			image_digest: null,
			artifact_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
			spread: expect.toSatisfy((spread: number) => spread > 0),
		});
		expect(Object.keys(evaluation.samples).toSorted()).toEqual(["Parser", "Tests"]);
		for (const samples of Object.values(evaluation.samples)) expect(samples).toHaveLength(3);
		const details = await agent.call("getSubmissionDetails", of(id));
		expect(evaluation.dimensions).toEqual(details.dimensions.map(({ potential_points, ...dimension }) => dimension));
		expect(evaluation.final_score).toBe(evaluation.llm_score);
		expect(await readEvaluations(poster, id)).toEqual([evaluation]);
		expect((await poster.call("getTask", of(taskId))).id).toBe(taskId);
	});

	it("is empty before the first evaluation, shows all scores, oldest first, and has pages", async () => {
		const world = createWorld();
		const taskId = await openTask(poster);
		const { id } = await world.submit(agent, taskId);
		expect(await agent.call("listEvaluations", of(id))).toEqual({ data: [], pagination: { has_more: false, next_cursor: null } });
		await world.deliver(QUEUE, [{ taskId }]);
		for (const _ of [2, 3]) {
			world.clock.advance(HOUR_MS);
			await world.enter(poster).call("requestReEvaluation", of(id));
			await world.deliver(QUEUE, [{ taskId }]);
		}
		const all = await readEvaluations(agent, id);
		expect(all.map(({ iteration, round }) => [iteration, round])).toEqual([
			[1, "submission"],
			[2, "re_evaluation"],
			[3, "re_evaluation"],
		]);
		const first = await agent.call("listEvaluations", { ...of(id), query: { limit: 2 } });
		expect(first).toEqual({ data: all.slice(0, 2), pagination: { has_more: true, next_cursor: expect.any(String) } });
		const cursor = first.pagination.next_cursor ?? "";
		const second = await agent.call("listEvaluations", { ...of(id), query: { limit: 2, cursor } });
		expect(second).toEqual({ data: all.slice(2), pagination: { has_more: false, next_cursor: null } });
		await agent.refused("listEvaluations", "VALIDATION_ERROR", { ...of(id), query: { cursor: btoa('["iteration",0]') } });
		for (const evaluation of all) await expectValid(evaluation, keys);
		expect(new Set(all.map(({ receipt }) => receipt)).size).toBe(3);
	});

	it("ends a page early if its reasonings are long, and the next page continues", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		const reasoning = "r".repeat(20_000);
		await external.post(id, { final_score: 50, dimensions: [{ criterion_name: "Parser", score: 50, reasoning }] });
		// An external judge may post this much in one request: the reasonings of fifty criteria.
		const names = Array.from({ length: 50 }, (_, index) => `Criterion ${index}`);
		const dimensions = names.map((criterion_name) => ({ criterion_name, score: 1, weight: 2, reasoning, checks: [], gaps: [] }));
		const scores = names.map((criterion) => ({ criterion, weight: 2, score: 1 }));
		await inTask(external.taskId, (task) => {
			const [first] = task.db.select().from(evaluations).where(eq(evaluations.submissionId, id)).all();
			if (first === undefined) throw new Error("There is no evaluation.");
			task.db.delete(evaluations).run();
			for (const iteration of [1, 2, 3, 4, 5, 6]) {
				const row = { ...first, id: task.newId(), iteration, dimensions: scores };
				task.db.insert(evaluations).values(row).run();
				writeReport(task, row.id, { reasoning: "", breakdown: null, ownerBreakdown: null, dimensions });
			}
		});
		const page = await external.agent.call("listEvaluations", of(id));
		expect(page.data.map(({ iteration }) => iteration)).toEqual([1, 2]);
		const rest = await external.agent.call("listEvaluations", { ...of(id), query: { cursor: page.pagination.next_cursor ?? "" } });
		expect(rest.data.map(({ iteration }) => iteration)).toEqual([3, 4]);
		expect(rest.pagination.has_more).toBe(true);
		expect(JSON.stringify(page).length).toBeLessThanOrEqual(2 * 1_048_576);
	});
});

describe("a receipt", () => {
	it("of a model's judgement is valid for the SDK and for another library, and its scores follow from its samples", async () => {
		const { recomputed, taken, claims } = await expectValid(judged.evaluation, keys);
		expect(recomputed).toEqual(["criteria", "llm", "final"]);
		expect(taken).toEqual([]);
		expect(claims).toMatchObject({ submission_id: judged.id, task_id: judged.taskId, weights: { Parser: 60, Tests: 40 } });
		expect(claims).toMatchObject({ mode_weights: { test: 0, llm: 100 }, confirmed_by: "model-c", temperature: 0.5 });
	});

	it("has exactly these claims", async () => {
		const { claims } = await expectValid(judged.evaluation, keys);
		expect(Object.keys(claims).toSorted()).toEqual(
			[
				...[
					"submission_id",
					"task_id",
					"task_sha256",
					"evaluation_id",
					"round",
					"artifact_sha256",
					"rubric_sha256",
					"weights",
					"mode_weights",
				],
				...["judge", "models", "confirmed_by", "prompt_version", "temperature", "image_digest", "samples", "scores", "iat"],
			].toSorted(),
		);
	});

	it("names the rubric by the canonical JSON of what the task's detail shows", async () => {
		const { claims } = await expectValid(judged.evaluation, keys);
		const text =
			'[{"checks":["quotes, delimiter, newline"],"description":"quotes, delimiter, newline","evidence":"work","name":"Parser","position":0,"weight":60,"whole_checks":[]},{"checks":["assert"],"description":"assert","evidence":"work","name":"Tests","position":1,"weight":40,"whole_checks":[]}]';
		expect(claims.rubric_sha256).toBe(await sha256Hex(text));
		const task = asFile(await agent.call("getTask", of(judged.taskId)));
		await verifyReceipt(judged.evaluation, keys, { task, artifactSha256: judged.evaluation.artifact_sha256 ?? "" });
		const others = await openTask(poster, { criteria: [{ name: "Parser", weight: 100 }] });
		const foreign = { task: asFile(await agent.call("getTask", of(others))), artifactSha256: "0".repeat(64) };
		await expect(verifyReceipt(judged.evaluation, keys, foreign)).rejects.toThrow(
			/artifact's SHA-256 is 0+.*\n.*task's SHA-256 is.*\n.*rubric's SHA-256 is/,
		);
	});

	it("of the offline judge is valid for criteria with any name", async () => {
		const names = ["__proto__", "10", "2", "constructor", "Ünïcödé \u{1F600}"];
		const taskId = await openTask(poster, {
			criteria: names.map((name) => ({ name, description: "quotes, delimiter, newline, parser", weight: 20 })),
		});
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		// The client's own schemas would lose the name __proto__.
		const response = await agent.send("listEvaluations", of(id));
		const [evaluation] = z.object({ data: z.array(z.unknown()) }).parse(await response.json()).data;
		const { recomputed, claims } = await verifyReceipt(evaluation, keys);
		expect(recomputed).toEqual(["criteria", "llm", "final"]);
		expect(Object.keys(claims.scores.criteria).toSorted()).toEqual(names.toSorted());
	});

	it("of an image and a model has the image's score, and recomputes the rest", async () => {
		const hybrid = await createContainerTask(
			{ find: [done({ notes: "From the image." })] },
			{ task: { eval_mode: "hybrid", test_weight: 70, llm_weight: 30 } },
		);
		await hybrid.workOff();
		const [evaluation] = await readEvaluations(hybrid.agent, hybrid.id);
		if (evaluation === undefined) throw new Error("There is no evaluation.");
		const { recomputed, taken, claims } = await expectValid(evaluation, keys);
		expect(recomputed).toEqual(["criteria", "llm", "final"]);
		expect(taken).toEqual(["test, which the poster's image gave", "container, which the poster's image gave"]);
		expect(claims.mode_weights).toEqual({ test: 70, llm: 30 });
		expect(evaluation.image_digest).toMatch(/^sha256:/);
	});

	it("of an image is valid", async () => {
		const container = await createContainerTask({ find: [done({})] });
		await container.workOff();
		const [evaluation] = await readEvaluations(container.agent, container.id);
		if (evaluation === undefined) throw new Error("There is no evaluation.");
		const { recomputed, taken } = await expectValid(evaluation, keys);
		expect(recomputed).toEqual(["final"]);
		expect(taken).toContain("criteria, which the poster's image gave");
		expect(evaluation).toMatchObject({ samples: {}, confirmed_by: null });
	});

	it("of an external judge has no samples and says what cannot be recomputed", async () => {
		const external = await createExternalTask();
		const id = await external.submit();
		await external.post(id, { final_score: 81.239, dimensions: [{ criterion_name: "Tests", score: 70.5 }] });
		const [evaluation] = await readEvaluations(external.agent, id);
		if (evaluation === undefined) throw new Error("There is no evaluation.");
		const { recomputed, taken, claims } = await expectValid(evaluation, keys);
		expect({ recomputed, taken }).toEqual({ recomputed: [], taken: ["all scores, which the poster's service posted"] });
		expect(claims).toMatchObject({ judge: "external", samples: {}, scores: { final: 81.24, criteria: { Tests: 70.5 } } });
		expect(evaluation).toMatchObject({ samples: {}, spread: null, models: [], prompt_version: null });
	});

	it("of a score that came before the artifact names no artifact", async () => {
		const external = await createExternalTask();
		const { id } = await external.agent.call("createSubmission", of(external.taskId));
		await external.anybody.call("postExternalScore", { ...of(id), body: { callback_token: external.token, final_score: 10 } });
		const [evaluation] = await readEvaluations(external.agent, id);
		if (evaluation === undefined) throw new Error("There is no evaluation.");
		expect((await expectValid(evaluation, keys)).claims.artifact_sha256).toBeNull();
	});
});

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

describe("a change", () => {
	it("of any one character of the receipt is detected", async () => {
		const { evaluation } = judged;
		const receipt = evaluation.receipt ?? "";
		for (let position = 0; position < receipt.length; position += 1) {
			const value = BASE64URL.indexOf(receipt[position] ?? "");
			// The neighbour in the alphabet differs only in the last bit, which base64 may not use.
			const others = value === -1 ? ["A"] : [BASE64URL[value ^ 1] ?? "", BASE64URL[value ^ 32] ?? ""];
			for (const other of others) {
				const changed = receipt.slice(0, position) + other + receipt.slice(position + 1);
				await expect(verify({ ...evaluation, receipt: changed }, keys), `position ${position}`).rejects.toThrow(/./);
			}
		}
		for (const changed of [`${receipt}=`, `${receipt}A`, ` ${receipt}`, `${receipt}\n`, receipt.slice(0, -1), `${receipt}.`, "", ".."]) {
			await expect(verify({ ...evaluation, receipt: changed }, keys)).rejects.toThrow(/./);
		}
	});

	it("of the key is detected", async () => {
		const [key] = keys.keys;
		if (key === undefined) throw new Error("There is no key.");
		for (let position = 0; position < key.x.length; position += 1) {
			const x = key.x.slice(0, position) + (key.x[position] === "A" ? "B" : "A") + key.x.slice(position + 1);
			await expect(verify(judged.evaluation, { keys: [{ ...key, x }] })).rejects.toThrow(/thumbprint|Ed25519/);
		}
		await expect(verify(judged.evaluation, { keys: [] })).rejects.toThrow(/has no key/);
		await expect(verify(judged.evaluation, { keys: [{ ...key, kid: "other" }] })).rejects.toThrow(/has no key/);
		await expect(verify(judged.evaluation, {})).rejects.toThrow(/JSON Web Key Set/);
	});
});

describe("the keys", () => {
	it("are public, may be cached, and have ids", async () => {
		const response = await nobody.send("getReceiptKeys", { headers: { Origin: "https://elsewhere.example" } });
		expect(response.headers.get("Access-Control-Allow-Origin")).toBe("*");
		expect(response.headers.get("Cache-Control")).toBe("public, max-age=60");
		expect(keys.keys).toEqual([
			{ kty: "OKP", crv: "Ed25519", use: "sig", alg: "EdDSA", kid: expect.any(String), x: expect.any(String), nbf: 0 },
		]);
		expect(JSON.stringify(keys)).not.toContain('"d"');
	});

	it("stay listed after SECRETS_KEY changes, so old receipts stay valid", async () => {
		const world = createWorld();
		const taskId = await openTask(poster);
		const { id } = await world.submit(agent, taskId);
		const config = { ...world.deps().config, keys: { current: btoa("another key of thirty-two bytes!"), previous: null } };
		const before = await readKeys();
		const listed = await readKeys(world.enter({ key: null }, { config }));
		expect(listed.keys).toHaveLength(2);
		await world.deliver(QUEUE, [{ taskId }], { config });
		const after = await readKeys();
		expect(after.keys).toHaveLength(2);
		expect(after.keys).toEqual(expect.arrayContaining(listed.keys));
		const [evaluation] = await readEvaluations(agent, id);
		if (evaluation === undefined) throw new Error("There is no evaluation.");
		await expectValid(evaluation, after);
		await expectValid(judged.evaluation, after);
		await expectValid(judged.evaluation, await readKeys(world.enter({ key: null }, { config })));
		await expect(verify(evaluation, before)).rejects.toThrow(/has no key/);
	});

	it("say when they were in use", async () => {
		const world = createWorld();
		const taskId = await openTask(poster);
		await world.submit(agent, taskId);
		const config = { ...world.deps().config, keys: { current: btoa("a key after the one that leaked!"), previous: null } };
		await world.deliver(QUEUE, [{ taskId }], { config });
		const { kid } = decodeProtectedHeader(judged.evaluation.receipt ?? "");
		const after = await readKeys(world.enter({ key: null }, { config }));
		const retired = after.keys.find((key) => key.kid === kid);
		const { claims } = await verify(judged.evaluation, after);
		expect(retired?.exp).toBeGreaterThan(claims.iat);
		expect(retired?.nbf).toBeLessThanOrEqual(claims.iat);
		expect(after.keys[0]).not.toHaveProperty("exp");
		expect(after.keys[0]?.nbf).toBeGreaterThan(0);
	});

	it("are one key if many sign for the first time in parallel, and each receipt's key is listed", async () => {
		const world = createWorld();
		const keys = { current: btoa("a third key, of thirty-two bytes"), previous: null };
		const taskId = await openTask(poster);
		const submissions = await Promise.all(Array.from({ length: 6 }, () => world.submit(agent, taskId)));
		const change = (): Partial<Deps> => ({ config: { ...world.deps().config, keys } });
		const known = (await readKeys()).keys.length;
		await Promise.all(submissions.map(() => world.deliver(QUEUE, [{ taskId }], change())));
		const listed = await readKeys();
		expect(listed.keys).toHaveLength(known + 1);
		for (const { id } of submissions) {
			const [evaluation] = await readEvaluations(agent, id);
			if (evaluation === undefined) throw new Error("There is no evaluation.");
			await expectValid(evaluation, listed);
		}
	});
});
