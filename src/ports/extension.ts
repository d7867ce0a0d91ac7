import type { ExtensionName } from "../domain/extension-names.ts";

/** The operations of an extension by their ids. Each is an endpoint, which this file is too low to know. */
type Operations = Readonly<Record<string, { readonly operationId: string }>>;

/** An extension says this about itself. Its rows of the shared tables name it as their `owner`. docs/architecture/extensions.md explains it. */
export interface Extension<Endpoints extends Operations = Operations> {
	readonly name: ExtensionName;
	/** The table of docs/architecture.md has this sentence. */
	readonly purpose: string;
	/** The extension imports these, and is absent where one of them is. */
	readonly requires?: readonly ExtensionName[];
	/** `npm run figures` counts the lines of the core that contain one of these words. */
	readonly words: readonly string[];
	/** Pages of the documentation fill in these counts by their names, as docs/contributing.md says. */
	readonly limits?: Readonly<Record<string, number>>;
	readonly endpoints: Endpoints;
}

/** Declares an extension. The types of its endpoints stay exact. */
export function extension<const Endpoints extends Operations>(declared: Extension<Endpoints>): Extension<Endpoints> {
	return declared;
}
