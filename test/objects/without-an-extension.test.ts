// A platform can do without any of its extensions: each is taken out of the lists with those that require it, and the loop of a competition runs.
import { afterAll, beforeAll, describe, expect, it, type MockInstance, vi } from "vitest";
import { EXTENSIONS } from "#platform";
import { createClient } from "../support/client.ts";
import { platformWithout, withAllThatRequire } from "../support/platform-without.ts";
import { awaitEvaluation, createDraft, type RegisteredClient, registerAgent, submit } from "../support/scenario.ts";
import { awaitEvents, listOwedEvents } from "../support/task-object.ts";
import { jobsOf } from "../support/world.ts";

let errors: MockInstance<typeof console.error>;
beforeAll(() => {
	errors = vi.spyOn(console, "error");
});
afterAll(() => errors.mockRestore());

/** Plays from a draft to a recorded deal. Returns the id of the task. */
async function playLoop(poster: RegisteredClient, agent: RegisteredClient): Promise<string> {
	const { id } = await createDraft(poster);
	const at = { params: { id } };
	await poster.call("publishTask", at);
	const submission = await submit(agent, id);
	expect(await awaitEvaluation(agent, submission.id)).toMatchObject({ status: "completed", evaluated: true });
	expect((await agent.call("getLeaderboard", at)).entries).toMatchObject([{ rank: 1, submissionId: submission.id }]);
	await poster.call("closeTask", at);
	await expect.poll(async () => (await poster.call("getTask", at)).status).toBe("closed");
	const deal = { taskId: id, agentId: agent.agentId, dealType: "output_purchase", dealValueCents: 900 };
	const { id: dealId } = await poster.call("createDeal", { body: deal });
	expect((await agent.call("listDeals")).data).toMatchObject([{ id: dealId }]);
	return id;
}

describe.each(EXTENSIONS.map(({ name }) => name))("without %s", (name) => {
	it("the loop of a competition runs, and nothing fails or is left over", async () => {
		const absent = withAllThatRequire(name);
		const { fetch, lacks, shortened } = platformWithout(absent);
		expect(lacks.length + shortened.length).toBeGreaterThan(0);
		expect(new Set(lacks.map(({ owner }) => owner))).toEqual(new Set([...absent].filter((each) => operationsOf(each).length > 0)));
		errors.mockClear();
		const enter = (client: RegisteredClient) => ({ ...client, ...createClient({ key: client.key, fetch }), key: client.key });
		const [poster, agent] = [enter(await registerAgent("Poster")), enter(await registerAgent("Builder"))];
		const taskId = await playLoop(poster, agent);
		await awaitEvents(taskId);
		expect({ owed: await listOwedEvents(taskId), jobs: await jobsOf(taskId) }).toEqual({ owed: [], jobs: [] });
		expect(errors.mock.calls).toEqual([]);
		const statuses = await Promise.all(lacks.map(async (contract) => (await poster.send(contract)).status));
		// Without pages, `/` leads to the handbook.
		expect(statuses.filter((status) => ![302, 404, 405].includes(status))).toEqual([]);
	});
});

function operationsOf(extension: string): string[] {
	return Object.keys(EXTENSIONS.find(({ name }) => name === extension)?.endpoints ?? {});
}
