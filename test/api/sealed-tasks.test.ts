// Tests tasks whose owner cannot read the work before the end.
import { describe, expect, it } from "vitest";
import { WEBHOOK_EVENTS, type WebhookEvent } from "../../src/domain/events.ts";
import { buildZip, goodZipWith } from "../support/archives.ts";
import { type Client, createClient } from "../support/client.ts";
import { createContainerTask } from "../support/container-judging.ts";
import { createRound, finishedWith, scriptedJudge } from "../support/final-round.ts";
import { done, ended } from "../support/grader-script.ts";
import { tool } from "../support/mcp.ts";
import {
	awaitEvaluation,
	createDraft,
	GOOD_FILES,
	openTask,
	type RegisteredClient,
	registerAgent,
	submit,
	taskInput,
} from "../support/scenario.ts";
import { readLog, subscribe } from "../support/webhooks.ts";

const at = (id: string) => ({ params: { id } });
const file = (id: string) => ({ params: { id, path: "parser.js" } });
/** The judge quotes this line of the work. */
const QUOTE = "export function parser(text";

async function judged(change: Readonly<Record<string, unknown>> = {}) {
	const [poster, agent] = [await registerAgent("Poster"), await registerAgent("Builder")];
	const taskId = await openTask(poster, { sealed: true, ...change });
	const { id } = await submit(agent, taskId);
	await awaitEvaluation(agent, id);
	return { poster, agent, taskId, id };
}

/** Returns everything that the API returns to a reader of one submission, as one text. */
async function readEverything(client: Client, taskId: string, id: string): Promise<string> {
	const texts = [
		await client.call("getSubmission", at(id)),
		await client.call("getSubmissionDetails", at(id)),
		await client.call("listEvaluations", at(id)),
		await (await client.send("streamSubmission", at(id))).text(),
		await (await client.send("listTaskSubmissions", at(taskId))).text(),
	];
	return JSON.stringify(texts);
}

describe("the owner of a sealed task", () => {
	it("reads scores and reasoning, but not the work, until the task has ended", async () => {
		const { poster, agent, taskId, id } = await judged();
		for (const operation of ["listSubmissionFiles", "exportTask"] as const) {
			const params = operation === "exportTask" ? at(taskId) : at(id);
			const { message } = await poster.refused(operation, "TASK_NOT_CLOSED", params);
			expect(message).toContain("sealed");
		}
		await poster.refused("readSubmissionFile", "TASK_NOT_CLOSED", file(id));
		await poster.refused("exportTask", "TASK_NOT_CLOSED", { ...at(taskId), query: { format: "jsonl" } });
		const sealed = await poster.call("getSubmission", at(id));
		const own = await agent.call("getSubmission", at(id));
		expect(sealed.artifact).toBeNull();
		expect(own.artifact).not.toBeNull();
		const unquoted = (dimensions: typeof own.dimensions) =>
			dimensions.map(({ checks = [], ...rest }) => ({ ...rest, checks: checks.map(({ check, found }) => ({ check, found })) }));
		expect(unquoted(sealed.dimensions)).toEqual(unquoted(own.dimensions));
		expect(sealed.scores?.final_score).toBe(own.scores?.final_score);
		expect(await readEverything(poster, taskId, id)).not.toContain(QUOTE);
		expect(await readEverything(agent, taskId, id)).toContain(QUOTE);

		await poster.call("closeTask", at(taskId));
		expect((await poster.call("getSubmission", at(id))).artifact).not.toBeNull();
		expect((await poster.call("getSubmissionDetails", at(id))).artifact).not.toBeNull();
		expect(await readEverything(poster, taskId, id)).toContain(QUOTE);
		expect((await poster.call("listSubmissionFiles", at(id))).data.map(({ path }) => path)).toContain("parser.js");
		expect(await (await poster.send("readSubmissionFile", file(id))).text()).toContain(QUOTE);
		expect(await (await poster.send("exportTask", at(taskId))).text()).toContain(id);
	});

	it("gets nothing of the work through MCP either", async () => {
		const { poster, taskId, id } = await judged();
		const read = await tool("read_file", { submission_id: id, path: "parser.js" }, { key: poster.key });
		expect(read.isError).toBe(true);
		expect(JSON.stringify(read)).toContain("TASK_NOT_CLOSED");
		for (const [name, args] of [
			["review_submissions", { task_id: taskId, detail: "full" }],
			["wait_for_score", { submission_id: id, detail: "full", timeout_seconds: 1 }],
			["call_operation", { operation_id: "getSubmissionDetails", params: { id } }],
		] as const) {
			const result = await tool(name, args, { key: poster.key });
			expect(JSON.stringify(result)).toContain(id);
			expect(JSON.stringify(result)).not.toContain(QUOTE);
		}
	});

	it("reads its own submission", async () => {
		const { poster, taskId } = await judged();
		const { id } = await submit(poster, taskId, GOOD_FILES);
		expect((await awaitEvaluation(poster, id)).artifact).not.toBeNull();
		expect(await (await poster.send("readSubmissionFile", file(id))).text()).toContain(QUOTE);
		expect(JSON.stringify(await poster.call("getSubmissionDetails", at(id)))).toContain(QUOTE);
		// The export contains the texts of the others.
		await poster.refused("exportTask", "TASK_NOT_CLOSED", at(taskId));
	});
});

/** Returns all that a poster reads of a submission, also in a webhook and the inbox, as one text. */
async function readAndHear(poster: Client, { taskId, id, hookId }: { taskId: string; id: string; hookId: string }): Promise<string> {
	const heard = [await readLog(poster, hookId), await poster.call("listInbox"), await poster.call("getTask", at(taskId))];
	return (await readEverything(poster, taskId, id)) + JSON.stringify(heard);
}

/** Waits until a webhook has received an event. */
async function awaitEvent(agent: Client, hookId: string, event: WebhookEvent): Promise<void> {
	await expect.poll(async () => (await readLog(agent, hookId)).map((delivery) => delivery.event)).toContain(event);
}

const hear = async (poster: RegisteredClient) => {
	const url = `https://receiver.example.com/${crypto.randomUUID()}`;
	return (await subscribe(poster, url, { events: [...WEBHOOK_EVENTS] })).id;
};

describe("lists of evaluations and events of a sealed task", () => {
	const SECRET = "a line that the image has copied from the work";

	it.each(["container", "hybrid"] as const)(
		"show their owner nothing that the image of a %s task wrote, until it has ended",
		async (mode) => {
			const dimensions = ["Parser", "Tests"].map((criterion) => ({ criterion, score: 80, reasoning: SECRET }));
			const texts = { message: SECRET, notes: SECRET, output: SECRET, breakdown: { dump: SECRET }, dimensions };
			const begun = await createContainerTask({ find: [done(texts)] }, { task: { sealed: true, eval_mode: mode } });
			const { poster, taskId, id } = begun;
			const hookId = await hear(poster);
			const read = { taskId, id, hookId };
			await begun.workOff();
			await awaitEvent(poster, hookId, "evaluation.completed");
			expect(await readAndHear(poster, read)).not.toContain(SECRET);
			const [evaluation] = (await poster.call("listEvaluations", at(id))).data;
			const names = mode === "hybrid" ? ["Parser", "Tests"] : [];
			expect(evaluation).toMatchObject({ test_score: 80, dimensions: names.map((criterion_name) => ({ criterion_name })) });
			expect(await readEverything(begun.agent, taskId, id)).toContain(SECRET);
			await poster.call("closeTask", at(taskId));
			expect(await readEverything(poster, taskId, id)).toContain(SECRET);
		},
	);

	it("show their owner of a suite how many cases passed, but neither which, nor the scores of criteria", async () => {
		// An image that reads the work could spell it with the outcomes of a thousand cases, or with 50 scores.
		const cases = Array.from({ length: 8 }, (_, index) => ({
			...{ name: `case ${index}`, input: "1", expected_output: "2" },
			match_type: "exact" as const,
		}));
		const bits = [true, false, false, true, true, false, true, false];
		const tests = bits.map((passed, index) => ({
			...{ name: `case ${index}`, passed, score: null, max_score: null },
			...{ public: false, input: "1", output: "2" },
		}));
		const dimensions = ["Parser", "Tests"].map((criterion, index) => ({ criterion, score: [61.27, 93.11][index] ?? 0, reasoning: "x" }));
		const begun = await createContainerTask({ find: [done({ tests, dimensions })] }, { task: { sealed: true }, cases });
		const { poster, agent, taskId, id } = begun;
		const hookId = await hear(poster);
		await begun.workOff();
		await awaitEvent(poster, hookId, "evaluation.completed");
		const owners = await poster.call("getSubmission", at(id));
		expect(owners.scores).toMatchObject({ test_score: 50, breakdown: { tests_passed: 4, tests_total: 8 } });
		const receipts = (await agent.call("listEvaluations", at(id))).data.map(({ receipt }) => receipt ?? "");
		const known = await readAndHear(poster, { taskId, id, hookId });
		for (const hidden of ['"tests":', "case 1", "61.27", "93.11", ...receipts]) expect(known).not.toContain(hidden);
		await poster.call("closeTask", at(taskId));
		const shown = await readAndHear(poster, { taskId, id, hookId });
		for (const hidden of ["case 1", "61.27", ...receipts]) expect(shown).toContain(hidden);
	});

	it("show their owner that the image has failed, but nothing that it wrote", async () => {
		const failed = ended("grader_error", { message: SECRET, output: SECRET });
		const begun = await createContainerTask({ find: [failed] }, { task: { sealed: true } });
		const hookId = await hear(begun.poster);
		await begun.workOff();
		await awaitEvent(begun.poster, hookId, "submission.failed");
		const known = await readAndHear(begun.poster, { ...begun, hookId });
		expect(known).toContain("it ended with an error");
		expect(known).not.toContain(SECRET);
		expect((await begun.read()).error_message).toContain(SECRET);
	});

	it("show their owner nothing that the judge quotes", async () => {
		const poster = await registerAgent("Poster");
		const hookId = await hear(poster);
		const taskId = await openTask(poster, { sealed: true });
		const agent = await registerAgent("Builder");
		const { id } = await submit(agent, taskId);
		await awaitEvaluation(agent, id);
		await awaitEvent(poster, hookId, "evaluation.completed");
		expect(await readAndHear(poster, { taskId, id, hookId })).not.toContain(QUOTE);
		expect(await readEverything(agent, taskId, id)).toContain(QUOTE);
	});

	it("show their owner no reasoning in which the judge copies the work, as a criterion can ask for", async () => {
		const judge = scriptedJudge({
			async evaluate(request) {
				const text = request.files.find(({ path }) => path === "parser.js")?.text ?? "";
				const outcome = finishedWith(request, () => [60]);
				if (outcome.kind === "waiting") return outcome;
				const evidence = [{ path: "parser.js", start: 1, end: 1, quote: text.slice(0, 40) }];
				const checks = [{ check: "It parses", found: "partly", evidence }] as const;
				const criteria = outcome.judgement.criteria.map((criterion) =>
					criterion.name === "Parser"
						? { ...criterion, checks, reasoning: text.slice(0, 40), gaps: [text] }
						: { ...criterion, reasoning: "It has tests." },
				);
				return { ...outcome, judgement: { ...outcome.judgement, criteria } };
			},
		});
		const round = await createRound({ judge, task: { sealed: true, final_round: false } });
		const [poster, agent] = [round.posterAgent, await registerAgent("Builder")];
		const hookId = await hear(poster);
		const { id } = await round.enter({ now: 60, final: 60 }, agent);
		await awaitEvent(poster, hookId, "evaluation.completed");
		const known = await readAndHear(poster, { taskId: round.taskId, id, hookId });
		expect(known).not.toContain(QUOTE);
		expect(known).toContain("It has tests.");
		expect(await readEverything(agent, round.taskId, id)).toContain(QUOTE);

		await agent.call("createAppeal", { ...at(id), body: { reason: "It has more tests." } });
		const body = { decision: "changed", reason: "It has.", scores: { Tests: 80 } };
		await poster.call("reviewSubmission", { ...at(id), body });
		expect(await readAndHear(poster, { taskId: round.taskId, id, hookId })).not.toContain(QUOTE);
		await round.close();
		expect(JSON.stringify(await poster.call("getSubmission", at(id)))).toContain(QUOTE);
	});

	it.each([
		["nested", buildZip({ entries: [{ name: "a-secret-plan/SUBMISSION.md", content: "# What I Built" }] })],
		["hostile", goodZipWith([{ name: "../a-secret-plan", content: "x" }])],
	])("show their owner no names of files in a %s zip that was refused", async (_, zip) => {
		const poster = await registerAgent("Poster");
		const hookId = await hear(poster);
		const taskId = await openTask(poster, { sealed: true });
		const agent = await registerAgent("Builder");
		const { id } = await agent.call("createSubmission", at(taskId));
		await agent.call("uploadArtifact", { ...at(id), rawBody: zip, headers: { "Content-Type": "application/zip" } });
		expect(await (await agent.send("completeSubmission", at(id))).text()).toContain("a-secret-plan");
		await awaitEvent(poster, hookId, "submission.failed");
		expect((await agent.call("getSubmission", at(id))).error_message).toContain("a-secret-plan");
		expect(await readAndHear(poster, { taskId, id, hookId })).not.toContain("a-secret-plan");
	});
});

describe("the field sealed", () => {
	it("is shown to everyone, and false by default", async () => {
		const [poster, agent] = [await registerAgent(), await registerAgent()];
		const [sealedId, openId] = [await openTask(poster, { sealed: true }), await openTask(poster)];
		for (const [id, sealed] of [
			[sealedId, true],
			[openId, false],
		] as const) {
			expect((await agent.call("getTask", at(id))).sealed).toBe(sealed);
			expect((await createClient().call("getPublicTask", at(id))).sealed).toBe(sealed);
		}
	});

	it("is refused for images that can use the network, however the two come together", async () => {
		const poster = await registerAgent();
		const image = { eval_mode: "container", eval_image: "registry.example/grader:1" };
		const [sealed, network] = [{ sealed: true }, { eval_network: true }];
		const refusal = [{ path: "sealed", message: "sealed cannot be combined with eval_network" }];
		const refusals = [await poster.refused("createTask", "INVALID_BODY", { body: taskInput({ ...image, ...sealed, ...network }) })];
		for (const [before, change] of [
			[sealed, network],
			[network, sealed],
			[{}, { ...sealed, ...network }],
		] as const) {
			const { id } = await createDraft(poster, { ...image, ...before });
			refusals.push(await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: change }));
			refusals.push(await poster.refused("cloneTask", "INVALID_BODY", { ...at(id), body: change }));
			const { sealed: isSealed, eval_network: hasNetwork } = await poster.call("getTask", at(id));
			expect(isSealed && hasNetwork).toBe(false);
		}
		expect(refusals.map(({ details }) => details)).toEqual(refusals.map(() => refusal));
	});

	it("is refused for external tasks, and a draft becomes external only without its seal", async () => {
		const poster = await registerAgent();
		const external = { eval_callback_url: "https://judge.example/score" };
		const { details } = await poster.refused("createTask", "INVALID_BODY", { body: taskInput({ ...external, sealed: true }) });
		expect(details).toEqual([{ path: "sealed", message: "sealed cannot be combined with eval_mode external" }]);
		const { id } = await createDraft(poster, { sealed: true });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { ...external, sealed: true } });
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: external });
		expect((await poster.call("getTask", at(id))).sealed).toBe(true);
		expect((await poster.call("updateTask", { ...at(id), body: { ...external, sealed: false } })).sealed).toBe(false);
		await poster.refused("updateTask", "INVALID_BODY", { ...at(id), body: { sealed: true } });
	});
});
