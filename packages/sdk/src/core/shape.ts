// Checks parsed JSON by hand. A schema library would be most of the bundle.
import { isRecord } from "./json.ts";

/** A value is not what it has to be. The message names the place. */
export class ShapeError extends Error {
	override readonly name = "ShapeError";
}

/** Returns the value in its type. @throws ShapeError */
export type Shape<Value> = (value: unknown, place: string) => Value;

function fault(place: string, expected: string): ShapeError {
	return new ShapeError(place === "" ? `expected ${expected}` : `${place}: expected ${expected}`);
}

export const text: Shape<string> = (value, place) => {
	if (typeof value === "string") return value;
	throw fault(place, "a string");
};

export const number: Shape<number> = (value, place) => {
	if (typeof value === "number" && Number.isFinite(value)) return value;
	throw fault(place, "a number");
};

export function textLike(pattern: RegExp): Shape<string> {
	return (value, place) => {
		if (pattern.test(text(value, place)) && typeof value === "string") return value;
		throw fault(place, `text like ${pattern}`);
	};
}

export function oneOf<Value extends string>(values: readonly Value[]): Shape<Value> {
	return (value, place) => {
		const found = values.find((each) => each === value);
		if (found !== undefined) return found;
		throw fault(place, values.map((each) => JSON.stringify(each)).join(" or "));
	};
}

export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
	return (value, place) => (value === null ? null : shape(value, place));
}

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
	return (value, place) => (value === undefined ? undefined : shape(value, place));
}

export function list<Value>(shape: Shape<Value>, least = 0): Shape<Value[]> {
	return (value, place) => {
		if (Array.isArray(value) && value.length >= least) return value.map((each, index) => shape(each, `${place}[${index}]`));
		throw fault(place, least === 0 ? "a list" : `a list of at least ${least}`);
	};
}

/** Values by names that others choose, `__proto__` included. */
export function byName<Value>(shape: Shape<Value>): Shape<Record<string, Value>> {
	return (value, place) => {
		if (!isRecord(value)) throw fault(place, "an object");
		return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shape(each, join(place, name))]));
	};
}

type Shapes = Readonly<Record<string, Shape<unknown>>>;
/** What an object of shapes gives. */
export type Shaped<Fields extends Shapes> = { readonly [Name in keyof Fields]: ReturnType<Fields[Name]> };

/** An object with these fields. Others are dropped, or rejected if the shape is exact. */
export function object<Fields extends Shapes>(fields: Fields, { isExact = false } = {}): Shape<Shaped<Fields>> {
	return (value, place) => {
		if (!isRecord(value)) throw fault(place, "an object");
		const other = isExact ? Object.keys(value).find((name) => !Object.hasOwn(fields, name)) : undefined;
		if (other !== undefined) throw fault(join(place, other), "nothing");
		return shapeFields(fields, (name) => fields[name]?.(Object.hasOwn(value, name) ? value[name] : undefined, join(place, name)));
	};
}

/** Each field of the result comes from the shape of the same name, which the compiler cannot follow through `Object.fromEntries`. */
function shapeFields<Fields extends Shapes>(fields: Fields, read: (name: string) => unknown): Shaped<Fields> {
	return Object.fromEntries(Object.keys(fields).map((name) => [name, read(name)])) as Shaped<Fields>;
}

function join(place: string, name: string): string {
	return place === "" ? name : `${place}.${name}`;
}

/** The value in its type, or what is wrong with it. */
export function parse<Value>(shape: Shape<Value>, value: unknown): { readonly value: Value } | { readonly fault: string } {
	try {
		return { value: shape(value, "") };
	} catch (error) {
		if (error instanceof ShapeError) return { fault: error.message };
		throw error;
	}
}
