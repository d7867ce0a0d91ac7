// Reads durations such as `1h 30m`.

const MINUTES_BY_UNIT = { h: 60, m: 1 };

/** Its message names the fault, and the place in the text where it is. */
export class FaultyInput extends Error {}

/** Returns the minutes of a duration. Empty input is 0 minutes. */
export function parseDuration(text) {
	const input = text.trim();
	if (isEmpty(input)) return handleEmptyInput();
	const units = new Map();
	for (let place = 0; place < input.length; ) {
		const { unitName, minutes, end } = readOnePart(input, place);
		if (units.has(unitName)) throw faultAt(place, input, `the unit ${unitName} stands twice`);
		units.set(unitName, minutes);
		place = end;
	}
	return [...units.values()].reduce((sum, minutes) => sum + minutes, 0);
}

/** Returns one number with its unit, and where it ends. */
function readOnePart(input, place) {
	const part = /^(\d+)\s*([a-z]+)\s*/i.exec(input.slice(place));
	if (part === null) throw faultAt(place, input, "a number with a unit is missing");
	const unitName = part[2].toLowerCase();
	if (!Object.hasOwn(MINUTES_BY_UNIT, unitName)) throw faultAt(place, input, `the unit ${unitName} is not known`);
	return { unitName, minutes: Number(part[1]) * MINUTES_BY_UNIT[unitName], end: place + part[0].length };
}

function isEmpty(input) {
	return input === "";
}

function handleEmptyInput() {
	return 0;
}

/** Reports a fault with a message that names it, and shows the faulty input from there. */
function faultAt(place, input, fault) {
	return new FaultyInput(reportMessage(fault, place, input));
}

function reportMessage(fault, place, input) {
	return `${fault}, at character ${place + 1}: ${input.slice(place)}`;
}
