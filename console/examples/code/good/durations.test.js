import assert from "node:assert/strict";
import { test } from "node:test";
import { FaultyInput, parseDuration } from "./durations.js";

// Each requirement of the description, with what it implements.
const requirements = [
	{ description: "hours and minutes", input: "1h 30m", minutes: 90 },
	{ description: "only hours", input: "2h", minutes: 120 },
	{ description: "only minutes", input: "45m", minutes: 45 },
	{ description: "capital letters", input: "1H 5M", minutes: 65 },
	{ description: "no space between", input: "1h30m", minutes: 90 },
	{ description: "the edge: no time", input: "0m", minutes: 0 },
];

for (const requirement of requirements) {
	test(`implements the requirement ${requirement.description}`, () => {
		const result = parseDuration(requirement.input);
		assert.equal(result, requirement.minutes);
	});
}

for (const emptyInput of ["", "   ", "\n"]) {
	test(`empty input is no time: ${JSON.stringify(emptyInput)}`, () => {
		assert.equal(parseDuration(emptyInput), 0);
	});
}

const faultyInputs = [
	["soon", /a number with a unit is missing, at character 1/],
	["3 weeks", /the unit weeks is not known, at character 1/],
	["1h 2h", /the unit h stands twice, at character 4/],
	["1h, 30m", /missing, at character 3/],
];

for (const [faultyInput, message] of faultyInputs) {
	test(`covers faulty input, and its message names the fault: ${faultyInput}`, () => {
		assert.throws(() => parseDuration(faultyInput), (error) => error instanceof FaultyInput && message.test(error.message));
	});
}
