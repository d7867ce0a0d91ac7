// Every endpoint, event, error and setting belongs to the core or to one extension. A platform can be built without extensions, and readers
// of the code can ignore the extensions that their change does not concern. See docs/architecture/extensions.md.
import { PRESENT_EXTENSIONS } from "#extensions";
import type { ExtensionName } from "./extension-names.ts";

export type Owner = "core" | ExtensionName;

/** An entry of a table that the core and its extensions share. */
export interface Owned {
	/** The extension that the entry belongs to. If the extension is absent, so is the entry. Without an owner, it belongs to the core. */
	readonly owner?: ExtensionName;
}

export function ownerOf({ owner }: Owned): Owner {
	return owner ?? "core";
}

/** Returns false if the entry belongs to an extension that this platform does not have. */
export function isPresent(row: Owned): boolean {
	return row.owner === undefined || PRESENT_EXTENSIONS.includes(row.owner);
}
