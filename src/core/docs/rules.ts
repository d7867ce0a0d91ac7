function policy(scripts: string): string {
	return `default-src 'none'; script-src ${scripts}; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`;
}

/** The headers of every page. They allow nothing from other hosts, no inline scripts, and no framing by other sites. */
export const PAGE_HEADERS = { "Content-Security-Policy": policy("'self'") } as const;

/** The console shows PDFs of submissions in a frame, which has the headers of {@link pdfFrameHeaders}. */
export const CONSOLE_HEADERS = { "Content-Security-Policy": `${policy("'self'")}; frame-src 'self'` } as const;

/**
 * The headers of the frame that renders strangers' PDFs. Its document has an opaque origin, even if someone opens it directly. So it cannot
 * reach the session or other pages, and can load only the image decoders. Its worker starts from a `blob:` URL, because an opaque origin
 * cannot start a worker from another URL.
 */
export function pdfFrameHeaders(baseUrl: string): Readonly<Record<string, string>> {
	return {
		"Content-Security-Policy": `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; style-src 'self'; connect-src ${baseUrl}/console/assets/; form-action 'none'; base-uri 'none'; frame-ancestors 'self'; sandbox allow-scripts`,
	};
}

/** The search of the documentation is WebAssembly, for which the pages need the additional permission `wasm-unsafe-eval`. */
export const DOCS_HEADERS = { "Content-Security-Policy": policy("'self' 'wasm-unsafe-eval'") } as const;

/** The path at which the API reference begins. */
export const REFERENCE_PATH = "/docs/reference";

/** Returns true if a path below /docs/ belongs to the API reference, which is built from the OpenAPI document. */
export function isReference(slug: string): boolean {
	return slug === "reference" || slug.startsWith("reference/");
}

/** Links by which programs find the descriptions of the API (RFC 8631, RFC 9727). */
export const DISCOVERY_LINKS = [
	'</openapi.json>; rel="service-desc"; type="application/json"',
	'</docs>; rel="service-doc"; type="text/html"',
	'</api/docs>; rel="service-meta"; type="application/json"',
	'</.well-known/api-catalog>; rel="api-catalog"; type="application/linkset+json"',
	'</health>; rel="status"; type="application/json"',
].join(", ");

/** Returns the built file of a page of the documentation. The page `index` is at /docs. */
export function htmlFileOf(slug: string): string {
	return slug === "index" ? "docs/index.html" : `docs/${slug}/index.html`;
}

/** In built texts, this stands for the origin of the reader's request. */
const BASE_URL = "{base_url}";

/**
 * Fills the reader's origin into a built text. Removes characters that cannot be in an origin, because HTML, JSON or a shell could
 * interpret them.
 */
export function fillBaseUrl(text: string, baseUrl: string): string {
	return text.replaceAll(BASE_URL, baseUrl.replace(/[^\w.:/[\]~%-]/g, ""));
}
