// Every verb of the Task object that a caller can name is declared once, under the name of its constant. Earlier numbers need none.
import { expect, it } from "vitest";
import { TASK_PARTS } from "#platform";
import { readSources } from "../../scripts/support/sources.ts";
import { createApp } from "../../src/app.ts";
import { findVerb, taskVerb } from "../../src/ports/task.ts";
import { consumeBatch } from "../../src/queues/index.ts";
import { sendSweeps } from "../../src/queues/sweeps.ts";

/** A call of `taskVerb`, or of a function that is made of it. */
const DECLARED = /(?:const (\w+) = )?\b(?:task|creating|repeatable|admitting)Verb\(\s*"(\w+)(?:@(\d+))?"/g;

const declared = readSources("src").flatMap(({ path, code }) =>
	[...code.matchAll(DECLARED)].map(([, constant = "", name = "", number = "1"]) => ({ path, constant, name, number: Number(number) })),
);

it("the last number of a verb has the name of its constant", () => {
	expect(declared.length).toBeGreaterThan(80);
	const isLast = ({ name, number }: (typeof declared)[number]) => !declared.some((other) => other.name === name && other.number > number);
	expect(declared.filter(isLast).filter(({ constant, name }) => constant !== name)).toEqual([]);
});

it("the parts of the Worker, which src/index.ts puts together, load every verb", () => {
	expect([createApp, consumeBatch, sendSweeps, TASK_PARTS].every(Boolean)).toBe(true);
	for (const { name, number } of declared) expect(findVerb(`${name}@${number}`)?.name).toBe(name);
});

it("a second verb of the same name and number is a fault", () => {
	expect(() => taskVerb("closeOwnTask", () => null)).toThrow("Two verbs are called closeOwnTask@1.");
	expect(() => taskVerb("closeOwnTask@1", () => null)).toThrow("Two verbs are called closeOwnTask@1.");
});

it("a verb has numbers, and is 1 without one", () => {
	const next = taskVerb("verbOfATest@2", () => null);
	const first = taskVerb("verbOfATest", () => null);
	expect([first, next].map(({ name, calledAs }) => [name, calledAs])).toEqual([
		["verbOfATest", "verbOfATest@1"],
		["verbOfATest", "verbOfATest@2"],
	]);
	expect([findVerb("verbOfATest@1"), findVerb("verbOfATest@2"), findVerb("verbOfATest@3")]).toEqual([first, next, null]);
});
