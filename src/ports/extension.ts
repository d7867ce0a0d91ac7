import type { ExtensionName } from "../domain/extension-names.ts";

/** The operations of an extension by id. Each is an endpoint, a type that this low layer cannot import. */
type Operations = Readonly<Record<string, { readonly operationId: string }>>;

/**
 * What an extension declares about itself. An extension's rows in shared tables have the extension's name as `owner`. See
 * docs/architecture/extensions.md.
 */
export interface Extension<Endpoints extends Operations = Operations> {
	readonly name: ExtensionName;
	/** The sentence about it in the table of docs/architecture.md. */
	readonly purpose: string;
	/** The extensions that this one imports. Where one of them is absent, this one is absent too. */
	readonly requires?: readonly ExtensionName[];
	/** Words that `npm run figures` looks for when it counts the core's lines about the extension. */
	readonly words: readonly string[];
	/** Counts that documentation pages insert by name. See docs/contributing.md. */
	readonly limits?: Readonly<Record<string, number>>;
	readonly endpoints: Endpoints;
}

/** Declares an extension, and keeps the exact types of its endpoints. */
export function extension<const Endpoints extends Operations>(declared: Extension<Endpoints>): Extension<Endpoints> {
	return declared;
}
