/**
 * Image references of the form that every engine accepts: `[host[:port]/]name[:tag][@sha256:digest]`. Does not match an engine's options or
 * its other sources, such as local folders.
 */
export const IMAGE_REFERENCE =
	/^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
export const MAX_IMAGE_REFERENCE_CHARACTERS = 500;
export const IMAGE_REFERENCE_FAULT = "must be an image reference such as registry.example/judge:1";

/** The digest of an image's content. */
export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Returns the digest in a reference, or null if the reference has only a tag, or neither a tag nor a digest. */
export function digestOfReference(reference: string): string | null {
	const at = reference.indexOf("@");
	return at === -1 ? null : reference.slice(at + 1);
}

/** Returns a reference without its tag and digest. */
export function repositoryOfReference(reference: string): string {
	const [name = ""] = reference.split("@", 1);
	const colon = name.lastIndexOf(":");
	return colon > name.lastIndexOf("/") ? name.slice(0, colon) : name;
}

/**
 * Returns the registry's `host[:port]`, or null for the engine's default registry.
 * As in all engines, the first part is a host if it contains a dot, a port or capital letters, or is `localhost`.
 */
export function registryOfReference(reference: string): string | null {
	const slash = reference.indexOf("/");
	const first = slash === -1 ? "" : reference.slice(0, slash);
	return /[.:A-Z]/.test(first) || first === "localhost" ? first : null;
}
