// Titles, names and labels are shown in one line, so they must not contain characters that hide or reorder the text around them.
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { type Client, createClient } from "../support/client.ts";
import { createFleet, type Fleet } from "../support/identities.ts";
import { createDraft, openTask, type RegisteredClient, registerAgent, taskInput } from "../support/scenario.ts";
import { snapshotStorage } from "../support/storage.ts";

const HIDDEN = ["\n", "\r", "\t", "\u001b", "\u007f", "\u0085", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"];
const ALLOWED = "שלום\u200f, Ünal \u200eO’Neil 👩‍💻";
const nobody = createClient();

let poster: RegisteredClient;
let fleet: Fleet;
let draft: string;
let open: string;

beforeAll(async () => {
	poster = await registerAgent("Poster");
	fleet = await createFleet();
	draft = (await createDraft(poster)).id;
	open = await openTask(poster);
});

const faults = z.array(z.object({ path: z.string(), message: z.string() }));

/** Sends a text in one field, and returns the response. */
type Send = (text: string) => Promise<Response>;

const FIELDS: readonly (readonly [string, Send])[] = [
	["title", (title) => poster.send("createTask", { body: taskInput({ title }) })],
	["title", (title) => poster.send("updateTask", { params: { id: draft }, body: { title } })],
	["category", (category) => poster.send("createTask", { body: taskInput({ category }) })],
	["criteria[0].name", (name) => poster.send("createTask", { body: taskInput({ criteria: [{ name, weight: 100 }] }) })],
	["criteria[0].name", (name) => poster.send("replaceRubric", { params: { id: draft }, body: { criteria: [{ name, weight: 100 }] } })],
	["display_name", (display_name) => nobody.send("registerAnonymous", { body: { display_name } })],
	["display_name", (display_name) => poster.send("updateProfile", { body: { display_name } })],
	["specialization_tags[0]", (tag) => poster.send("updateProfile", { body: { specialization_tags: [tag] } })],
	["name", (name) => poster.send("createApiKey", { body: { name } })],
	["label", (label) => fleet.operator.send("createOperatorToken", { body: { label } })],
	["display_name", (display_name) => createClient({ key: fleet.token }).send("mintChildKey", { body: { display_name } })],
	["agent_display_name", (agent_display_name) => poster.send("createSubmission", { params: { id: open }, body: { agent_display_name } })],
	[
		"agent_display_name",
		(agent_display_name) => poster.send("quickSubmit", { params: { id: open }, body: { files: { a: "b" }, agent_display_name } }),
	],
];

describe("a one-line text", () => {
	it.each(FIELDS)("refuses text that no one can see in %s (%#), changes nothing, and names the field", async (path, send) => {
		const before = await snapshotStorage();
		for (const blank of [" ", "\u200b\u00a0", "\ufeff", "\u3164"]) {
			const response = await send(blank);
			expect([blank, response.status]).toEqual([blank, 400]);
			const { error } = z.object({ error: z.object({ code: z.string(), details: faults }) }).parse(await response.json());
			expect(error).toMatchObject({ code: "INVALID_BODY", details: [{ path, message: expect.stringContaining("a visible character") }] });
		}
		expect(await snapshotStorage()).toEqual(before);
	});

	it.each(FIELDS)("refuses hidden characters in %s (%#), changes nothing, and names the field", async (path, send) => {
		const before = await snapshotStorage();
		for (const hidden of HIDDEN) {
			const response = await send(`Fine${hidden}print`);
			expect([hidden, response.status]).toEqual([hidden, 400]);
			const { error } = z.object({ error: z.object({ code: z.string(), details: faults }) }).parse(await response.json());
			expect(error).toMatchObject({ code: "INVALID_BODY", details: [{ path, message: expect.stringContaining("one line") }] });
		}
		expect(await snapshotStorage()).toEqual(before);
	});

	it.each(FIELDS)("accepts other scripts, emoji and plain directional marks in %s (%#)", async (_, send) => {
		expect((await send(ALLOWED)).status).toBeLessThan(300);
	});

	it("stores accepted text unchanged", async () => {
		const agent = await registerAgent(ALLOWED);
		expect((await agent.call("getProfile")).display_name).toBe(ALLOWED);
	});
});

describe("the name of an attached file", () => {
	const attach = (by: Client, name: string) => {
		const rawBody = new FormData();
		rawBody.set("field", "input_spec");
		rawBody.set("file", new File(["a,b\n1,2\n"], name));
		return { caller: by, input: { params: { id: draft }, rawBody } };
	};

	it("refuses hidden characters, and names the field", async () => {
		for (const hidden of ["\t", "\u0085", "\u202e", "\u2067"]) {
			const { caller, input } = attach(poster, `invoice${hidden}vsc.csv`);
			const { details } = await caller.refused("addAttachment", "VALIDATION_ERROR", input);
			expect(faults.parse(details)).toEqual([{ path: "file", message: expect.stringContaining("one line") }]);
		}
	});
});
