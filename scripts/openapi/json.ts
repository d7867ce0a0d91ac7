/** A JSON object of any shape. */
export type Json = Record<string, unknown>;

export function isJson(value: unknown): value is Json {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the value if it is an object, otherwise an empty one. */
export function toJson(value: unknown): Json {
	return isJson(value) ? value : {};
}
