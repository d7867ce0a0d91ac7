// Every verb of the Task object that a caller can name is declared once, under the name of its constant.
import { expect, it } from "vitest";
import { TASK_PARTS } from "#platform";
import { consumeBatch } from "../../queues/index.ts";
import { sendSweeps } from "../../queues/sweeps.ts";
import { createApp } from "../../src/app.ts";
import { getVerb, taskVerb } from "../../src/ports/task.ts";
import { readSources } from "./sources.ts";

/** A call of `taskVerb`, or of a function that is made of it. */
const DECLARED = /(?:const (\w+) = )?\b(?:task|creating|repeatable|admitting)Verb\(\s*"(\w+)"/g;

const declared = readSources("src").flatMap(({ path, code }) =>
	[...code.matchAll(DECLARED)].map(([, constant = "", name = ""]) => ({ path, constant, name })),
);

it("a verb has the name of its constant", () => {
	expect(declared.length).toBeGreaterThan(80);
	expect(declared.filter(({ constant, name }) => constant !== name)).toEqual([]);
});

it("the parts of the Worker, which src/index.ts puts together, load every verb", () => {
	expect([createApp, consumeBatch, sendSweeps, TASK_PARTS].every(Boolean)).toBe(true);
	for (const { name } of declared) expect(getVerb(name).name).toBe(name);
});

it("a second verb of the same name is a fault, and so is a call to an unknown one", () => {
	expect(() => taskVerb("closeOwnTask", () => null)).toThrow("Two verbs are called closeOwnTask.");
	expect(() => getVerb("close")).toThrow("No verb is called close.");
});
