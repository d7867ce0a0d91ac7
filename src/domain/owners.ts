// Every endpoint, event, error and setting belongs to the core or to one extension. A platform can be built without its extensions, and a
// reader can ignore those that a change does not concern. docs/architecture/extensions.md explains the border.
import { PRESENT_EXTENSIONS } from "#extensions";
import type { ExtensionName } from "./extension-names.ts";

export type Owner = "core" | ExtensionName;

/** A row of a shared table. */
export interface Owned {
	/** The extension that the row belongs to. If the extension is absent, so is the row. A row without an owner belongs to the core. */
	readonly owner?: ExtensionName;
}

export function ownerOf({ owner }: Owned): Owner {
	return owner ?? "core";
}

/** Returns false if the row belongs to an extension that this platform does not have. */
export function isPresent(row: Owned): boolean {
	return row.owner === undefined || PRESENT_EXTENSIONS.includes(row.owner);
}
