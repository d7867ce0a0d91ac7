// Reads constants from their declarations, so that a file need not export a constant only for these tests.
import { readProjectFile } from "./sources.ts";

const UNITS: Readonly<Record<string, number>> = { SECOND_MS: 1_000, MINUTE_MS: 60_000, HOUR_MS: 3_600_000, DAY_MS: 86_400_000 };

/**
 * Returns the number of a declaration such as `const KEPT_MS = 90 * DAY_MS;`. `name` is the constant, or the constant and one of its
 * properties, such as `FILE_LIMITS.count`. Throws if the declaration is not arithmetic.
 */
export function constant(path: string, name: string): number {
	const [top = "", property] = name.split(".");
	const text = readProjectFile(path);
	const declared = new RegExp(`\\bconst ${top}\\b(?:: [^=]+)? = ([^;]+);`).exec(text)?.[1];
	const expression = property === undefined ? declared : new RegExp(`\\b${property}: ([^,}]+)`).exec(declared ?? "")?.[1];
	if (expression === undefined) throw new Error(`${path} declares no ${name}.`);
	return evaluate(expression.trim(), (other) => UNITS[other] ?? constant(path, other));
}

/** Computes products of numbers and names, because declarations of limits contain nothing else. */
function evaluate(expression: string, resolve: (name: string) => number): number {
	const factor = (text: string): number => {
		if (/^[\d_.]+$/.test(text)) return Number(text.replaceAll("_", ""));
		if (/^[\w.]+$/.test(text)) return resolve(text);
		throw new Error(`"${expression}" is no product of numbers and names.`);
	};
	return expression
		.split(/\s+\*\s+/)
		.map((part) => part.split(/\s+\*\*\s+/).map(factor))
		.reduce((product, [base = 1, exponent = 1]) => product * base ** exponent, 1);
}

/** Returns a bound of a request's schema in the OpenAPI document, such as `CreateTaskRequest.title.maxLength`. */
export function schemaBound(place: string): number {
	const [name = "", field = "", ...rest] = place.split(".");
	const document: unknown = JSON.parse(readProjectFile("docs/openapi.json"));
	const found = ["components", "schemas", name, "properties", field, ...rest].reduce<unknown>(
		(value, key) => (typeof value === "object" && value !== null ? Object.entries(value).find(([own]) => own === key)?.[1] : undefined),
		document,
	);
	if (typeof found !== "number") throw new Error(`The OpenAPI document has no number at ${place}.`);
	return found;
}
