// A deployment with a judge accepts and shows other tasks than one without.
import { expect, it } from "vitest";
import { createApp } from "../support/app.ts";
import { createClient } from "../support/client.ts";
import { testDeps } from "../support/deps.ts";
import { judgedPlatform } from "../support/judged-platform.ts";
import { judgeOf } from "../support/judging.ts";
import { createDraft, openTask, registerAgent, submit, taskInput } from "../support/scenario.ts";

const nowhere = { baseUrl: "http://127.0.0.1:9/v1", seen: () => Promise.reject(new Error("never asked")) };

it("names the judge and its models in /health", async () => {
	const platform = judgedPlatform(judgeOf(nowhere, { JUDGE_MODELS: "m1,m2" }));
	expect(await platform.anybody.call("getHealth")).toMatchObject({ judge: "openai", judge_models: ["m1", "m2"] });
});

it("says in /health that no judge is configured", async () => {
	expect(await judgedPlatform(null).anybody.call("getHealth")).toMatchObject({ judge: "not configured", judge_models: [] });
});

it.each([
	[null, "not configured"],
	[{ kind: "container" as const }, "container"],
	[{ kind: "url" as const, url: "https://grader.example", token: "secret" }, "url"],
])("says in /health where images of posters run, and no more (%j)", async (grader, shown) => {
	const deps = testDeps();
	const app = createApp(() => ({ ...deps, config: { ...deps.config, grader } }));
	expect(await createClient({ fetch: (request) => app.fetch(request) }).call("getHealth")).toMatchObject({ grader: shown });
});

it.each([{}, { eval_mode: "llm" }, { eval_mode: "hybrid", eval_image: "registry.example/judge:1" }])(
	"refuses to create a task that needs a judge if there is none (%j)",
	async (change) => {
		const poster = judgedPlatform(null).as(await registerAgent("Poster"));
		const refusal = await poster.refused("createTask", "BAD_REQUEST", { body: taskInput(change) });
		expect(refusal.message).toContain("no judge configured");
	},
);

it.each([{ eval_mode: "container", eval_image: "registry.example/judge:1" }, { eval_callback_url: "https://judge.example.com/evaluate" }])(
	"accepts tasks that need no judge (%j)",
	async (change) => {
		const poster = judgedPlatform(null).as(await registerAgent("Poster"));
		expect((await createDraft(poster, change)).status).toBe("draft");
	},
);

it("refuses to publish a draft that needs a judge if there is none any more", async () => {
	const poster = await registerAgent("Poster");
	const { id } = await createDraft(poster);
	const refusal = await judgedPlatform(null).as(poster).refused("publishTask", "BAD_REQUEST", { params: { id } });
	expect(refusal.message).toContain("no judge configured");
});

it("fails submissions from before the judge was removed, and returns their slots", async () => {
	const platform = judgedPlatform(null);
	const poster = await registerAgent("Poster");
	const agent = platform.as(await registerAgent("Builder"));
	const taskId = await openTask(poster);
	const { id } = await submit(agent, taskId);
	await platform.workOff();
	const submission = await agent.call("getSubmission", { params: { id } });
	expect(submission).toMatchObject({ status: "evaluation_failed", scores: null, quota: { used: 0 } });
	expect(submission.error_message).toContain("no judge configured");
});
