// Looks references up for the viewer. Its own resolver takes any document apart and together again, for seconds on a phone;
// this document refers to nothing but parts of itself.

export interface Resolved {
	readonly spec: unknown;
	readonly errors: readonly [];
}

const SCHEMA = /^#\/components\/schemas\/([^/]+)$/;

/** The part of a document at a path, with what its references name in their place. */
export async function resolveSubtree(document: unknown, path: readonly (string | number)[]): Promise<Resolved> {
	return { spec: withoutReferences(path.reduce<unknown>(memberOf, document), document, []), errors: [] };
}

/** @param within The references whose targets this value is part of: one of them within itself stays a reference. */
function withoutReferences(value: unknown, document: unknown, within: readonly string[]): unknown {
	if (Array.isArray(value)) return value.map((item) => withoutReferences(item, document, within));
	if (typeof value !== "object" || value === null) return value;
	const reference = "$ref" in value && typeof value.$ref === "string" ? value.$ref : null;
	if (reference?.startsWith("#/") && !within.includes(reference)) {
		const { $ref: _, ...beside } = Object.fromEntries(Object.entries(value));
		const target = withoutReferences(lookUp(reference, document), document, [...within, reference]);
		const name = SCHEMA.exec(reference)?.[1];
		return { ...(name === undefined ? {} : { title: name }), ...(typeof target === "object" ? target : {}), ...beside };
	}
	return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutReferences(member, document, within)]));
}

/** A JSON pointer (RFC 6901) in a fragment. */
function lookUp(reference: string, document: unknown): unknown {
	const keys = reference
		.slice("#/".length)
		.split("/")
		.map((key) => decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~"));
	return keys.reduce<unknown>(memberOf, document);
}

function memberOf(value: unknown, key: string | number): unknown {
	return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
