import type { ExtensionName } from "../domain/extension-names.ts";

/** The operations of an extension by id. Each is an endpoint, a type that this low layer cannot import. */
type Operations = Readonly<Record<string, { readonly operationId: string }>>;

/**
 * What an extension declares about itself. An extension's rows in shared tables have the extension's name as `owner`. See
 * docs/architecture/extensions.md.
 */
export interface Extension<Endpoints extends Operations = Operations> {
	readonly name: ExtensionName;
	/** One sentence about the extension, for the table in docs/architecture.md. */
	readonly purpose: string;
	/** The extensions that this one imports. It is absent if one of them is. */
	readonly requires?: readonly ExtensionName[];
	/** The extension's vocabulary. `npm run figures` counts the core's lines that contain it. */
	readonly words: readonly string[];
	/** Numbers that documentation pages insert by name. See docs/contributing.md. */
	readonly limits?: Readonly<Record<string, number>>;
	readonly endpoints: Endpoints;
}

/** Declares an extension, and keeps the exact types of its endpoints. */
export function extension<const Endpoints extends Operations>(declared: Extension<Endpoints>): Extension<Endpoints> {
	return declared;
}
