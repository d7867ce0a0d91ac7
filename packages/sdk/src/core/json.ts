/** Returns true for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Gives parsed JSON the type that the OpenAPI document states for it. The platform tests each of its responses against that document, and
 * new fields may appear at any time, so checking every response here again would only make the bundle larger.
 */
export function trustDocument<Value>(value: unknown): Value {
	return value as Value;
}
