// Finds the inputs that an object of the previous version would misunderstand.
import { isDeepStrictEqual } from "node:util";
import type { Inputs, InputType } from "./read-inputs.ts";

/**
 * Lists the inputs whose type has changed under the same name and number. A field may be added if it is optional. A verb may be added or
 * removed, because an object rejects a verb that it does not know.
 */
export function findChangedInputs(before: Inputs, after: Inputs): string[] {
	return Object.entries(after)
		.filter(([calledAs, type]) => {
			const known = before[calledAs];
			return known !== undefined && !isCompatible(known, type);
		})
		.map(([calledAs]) => calledAs);
}

type Described = InputType | readonly InputType[];

function isCompatible(before: Described, after: Described): boolean {
	if (typeof before === "string" || typeof after === "string") return before === after;
	if (isList(before) || isList(after)) return isList(before) && isList(after) && isSameList(before, after);
	const isKept = Object.entries(before).every(([field, type]) => {
		const now = after[field];
		return now !== undefined && isCompatible(type, now);
	});
	return isKept && Object.keys(after).every((field) => Object.hasOwn(before, field) || field.endsWith("?"));
}

/** Compares two lists in any order. The members of a union are sorted by their text, so an added field can move a member. */
function isSameList(before: readonly InputType[], after: readonly InputType[]): boolean {
	if (before.length !== after.length) return false;
	const left = [...after];
	return before.every((type) => {
		const equal = left.findIndex((other) => isDeepStrictEqual(other, type));
		const place = equal >= 0 ? equal : left.findIndex((other) => isCompatible(type, other));
		if (place >= 0) left.splice(place, 1);
		return place >= 0;
	});
}

function isList(type: Described): type is readonly InputType[] {
	return Array.isArray(type);
}
