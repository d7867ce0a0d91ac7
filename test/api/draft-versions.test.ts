// Tests two writers of one draft: If-Match keeps each from overwriting what it has not read.
import { expect, it } from "vitest";
import type { CallInput, Client } from "../support/client.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";

const rubric = { criteria: [{ name: "Tests", weight: 100 }] };

async function stage() {
	const poster = await registerAgent();
	const { id } = await createDraft(poster);
	const at = (ifMatch: string | null, body: object): CallInput => ({
		params: { id },
		body,
		...(ifMatch === null ? {} : { headers: { "If-Match": ifMatch } }),
	});
	return { poster, id, at };
}

const tagOf = async (client: Client, ...[operation, input]: Parameters<Client["send"]>) => {
	const response = await client.send(operation, input);
	expect(response.status).toBe(200);
	return response.headers.get("ETag") ?? "";
};

it("accepts a change with the ETag of a read or of a change, and refuses one with an earlier version", async () => {
	const { poster, id, at } = await stage();
	const read = await tagOf(poster, "getTask", { params: { id } });
	const changed = await tagOf(poster, "updateTask", at(read, { title: "First" }));
	const { message } = await poster.refused("updateTask", "PRECONDITION_FAILED", at(read, { title: "Second" }));
	expect(message).toContain("Read it again");
	await poster.refused("replaceRubric", "PRECONDITION_FAILED", at(read, rubric));
	const replaced = await tagOf(poster, "replaceRubric", at(changed, rubric));
	await poster.refused("updateTask", "PRECONDITION_FAILED", at(changed, { title: "Third" }));
	for (const other of ['"abc"', "7", '""']) await poster.refused("updateTask", "PRECONDITION_FAILED", at(other, { title: "Third" }));
	await tagOf(poster, "updateTask", at(`"abc", ${replaced}`, { title: "Third" }));
	await tagOf(poster, "updateTask", at("*", { budget_cents: 20_000 }));
	await tagOf(poster, "updateTask", at(null, { category: "code" }));
	const { title, budget_cents, category, criteria } = await poster.call("getTask", { params: { id } });
	expect({ title, budget_cents, category, criteria: criteria.map(({ name }) => name) }).toEqual({
		title: "Third",
		budget_cents: 20_000,
		category: "code",
		criteria: ["Tests"],
	});
});

it("accepts one of several parallel writers who have read the same version", async () => {
	const { poster, id, at } = await stage();
	const read = await tagOf(poster, "getTask", { params: { id } });
	const writes = Array.from({ length: 8 }, (_, index) => poster.send("updateTask", at(read, { title: `Title ${index}` })));
	const statuses = (await Promise.all(writes)).map(({ status }) => status);
	expect(statuses.toSorted((one, other) => one - other)).toEqual([200, ...Array.from({ length: 7 }, () => 412)]);
	const { title } = await poster.call("getTask", { params: { id } });
	expect(title).toBe(`Title ${statuses.indexOf(200)}`);
});

it("returns 304 for an unchanged draft, and reports a published task's fixed rubric before the version", async () => {
	const { poster, id, at } = await stage();
	const read = await tagOf(poster, "getTask", { params: { id } });
	expect((await poster.send("getTask", { params: { id }, headers: { "If-None-Match": read } })).status).toBe(304);
	await poster.call("publishTask", { params: { id } });
	await poster.refused("replaceRubric", "CONFLICT", at(read, rubric));
	expect((await poster.send("getTask", { params: { id }, headers: { "If-None-Match": read } })).status).toBe(200);
});
