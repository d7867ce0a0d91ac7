// Every endpoint, event, error and setting belongs to the core or to one extension. A platform can be built without its extensions, and
// a reader can leave out those that a change does not concern. docs/architecture/extensions.md explains the border.

/** The extensions, in the order of their table in docs/architecture.md. */
export const EXTENSION_NAMES = [
	"questions",
	"reviews",
	"final-round",
	"dry-runs",
	"judge-check",
	"check",
	"rubric-help",
	"similarity",
	"record",
	"log",
	"settlement",
	"inbox",
	"profiles",
	"pages",
	"mcp",
	"doors",
	"operating",
] as const;

export type ExtensionName = (typeof EXTENSION_NAMES)[number];

export type Owner = "core" | ExtensionName;

/** A row of a shared table of facts. */
export interface Owned {
	/** The row is absent where this extension is. A row without an owner belongs to the core. */
	readonly owner?: ExtensionName;
}

export function ownerOf({ owner }: Owned): Owner {
	return owner ?? "core";
}
