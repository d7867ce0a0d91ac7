/**
 * Matches image references that every container engine accepts: `[host[:port]/]name[:tag][@sha256:digest]`. Does not match what engines
 * would read as an option, or as another source such as a local folder.
 */
export const IMAGE_REFERENCE =
	/^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;
export const MAX_IMAGE_REFERENCE_CHARACTERS = 500;
export const IMAGE_REFERENCE_FAULT = "must be an image reference such as registry.example/judge:1";

/** Matches the digest of an image. */
export const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;

/** Returns the digest in a reference. Returns null if the reference has none. */
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
 * Returns the registry's `host[:port]`, or null for the engine's default registry. As in all engines, the part before the first slash is a
 * host if it contains a dot, a port or a capital letter, or if it is `localhost`.
 */
export function registryOfReference(reference: string): string | null {
	const slash = reference.indexOf("/");
	const first = slash === -1 ? "" : reference.slice(0, slash);
	return /[.:A-Z]/.test(first) || first === "localhost" ? first : null;
}
