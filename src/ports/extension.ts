import type { ExtensionName } from "../domain/extension-names.ts";

/** The endpoints of an extension, keyed by operation id. This layer cannot import the full type of an endpoint. */
type Operations = Readonly<Record<string, { readonly operationId: string }>>;

/**
 * What an extension declares about itself. What it adds to shared tables has its name as `owner`. See docs/architecture/extensions.md.
 */
export interface Extension<Endpoints extends Operations = Operations> {
	readonly name: ExtensionName;
	/** One sentence about the extension, for the table in docs/architecture.md. */
	readonly purpose: string;
	/** The extensions that this one imports. If one of them is absent, this one is too. */
	readonly requires?: readonly ExtensionName[];
	/** Words that are only about this extension. `npm run figures` counts the lines of the core that contain them. */
	readonly words: readonly string[];
	/** Numbers that documentation pages insert by name. See docs/contributing.md. */
	readonly limits?: Readonly<Record<string, number>>;
	readonly endpoints: Endpoints;
}

/** Declares an extension, and keeps the exact types of its endpoints. */
export function extension<const Endpoints extends Operations>(declared: Extension<Endpoints>): Extension<Endpoints> {
	return declared;
}
