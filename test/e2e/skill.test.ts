// The skill that agents are given: every command of it, one after the other, as an agent runs them who takes it at its word.
import { afterAll, beforeAll, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import * as z from "zod";
import { openTask, registerCaller } from "../support/http.ts";
import { runPage } from "../support/sample-runner.ts";
import { parsePage } from "../support/samples.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;

beforeAll(async () => {
	server = await startServer();
});
afterAll(() => server?.close());

it("leads from nothing to a scored submission and a task of one's own, command by command", async () => {
	const poster = await registerCaller(server);
	const taskId = await openTask(poster, { title: "Reverse a string" });
	const served = await (await fetch(`${server.url}/skill.md`)).text();
	const page = parsePage("skill.md", served);
	expect(page.samples.length).toBeGreaterThan(8);
	const { name, description } = z.strictObject({ name: z.string(), description: z.string() }).parse(parseYaml(page.frontmatter));
	expect({ name, mentions: description.includes(server.url) }).toEqual({ name: "bounty-platform", mentions: true });

	const { failed, note, results } = await runPage(page, { values: {}, engine: null, caller: 1, canUse: () => true });
	if (failed !== null)
		throw new Error(
			`${note}, statuses ${failed.exchanges.map(({ status }) => status).join(", ")}\n${failed.sample.code}\n${failed.stdout}\n${failed.stderr}`,
		);
	expect(results).toHaveLength(page.samples.length);

	const outputOf = (mark: string) => results.find(({ sample }) => sample.code.includes(mark))?.stdout ?? "";
	expect(JSON.parse(outputOf("cat poll.json"))).toEqual({ status: "completed", evaluated: true });
	const dimension = z.object({ score: z.number(), reasoning: z.string(), weight: z.number(), potential_points: z.number() });
	const result = z.object({ task_id: z.uuid(), evaluated: z.boolean(), dimensions: z.array(dimension).min(1) });
	expect(result.parse(JSON.parse(outputOf("fields=task_id")))).toMatchObject({ task_id: taskId, evaluated: true });
	expect(JSON.parse(outputOf("fields=me"))).toEqual({ me: expect.objectContaining({ rank: 1, finalScore: expect.any(Number) }) });
	expect(outputOf('/stream"')).toContain("event: terminal");
	expect(outputOf("OWN_TASK_ID/publish")).toContain('"status":"open"');
});
