/**
 * Every engine accepts `[host[:port]/]name[:tag][@sha256:digest]`. The pattern matches neither an engine's options nor an engine's other
 * sources, such as local folders.
 */
export const IMAGE_REFERENCE =
	/^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
export const MAX_IMAGE_REFERENCE_CHARACTERS = 500;
export const IMAGE_REFERENCE_FAULT = "must be an image reference such as registry.example/judge:1";

/** Engines and registries write the digest of an image's content like this. */
export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Returns the digest that a reference names, or null if it names a tag or nothing. */
export function digestOfReference(reference: string): string | null {
	const at = reference.indexOf("@");
	return at === -1 ? null : reference.slice(at + 1);
}

/** Returns a reference without its tag and its digest. */
export function repositoryOfReference(reference: string): string {
	const [name = ""] = reference.split("@", 1);
	const colon = name.lastIndexOf(":");
	return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}

/**
 * Returns the registry's `host[:port]`, or null for the engine's default registry. For all engines, the first part is a host if it has a
 * dot or a port, is `localhost`, or has capital letters, because names of repositories cannot.
 */
export function registryOfReference(reference: string): string | null {
	const slash = reference.indexOf("/");
	const first = slash === -1 ? "" : reference.slice(0, slash);
	return /[.:A-Z]/.test(first) || first === "localhost" ? first : null;
}
