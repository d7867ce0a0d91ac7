// Headers of what the assets layer serves without the Worker. Cloudflare reads them from the file `_headers` of the built site.

/** What every response has: src/http/security-headers.ts and the CORS middleware set the same for the Worker's. */
const EVERYWHERE = {
	"X-Content-Type-Options": "nosniff",
	"Referrer-Policy": "no-referrer",
	"Access-Control-Allow-Origin": "*",
};

/** Such files never change, but the assets layer sends the same header with a 404, which must not last for a year. */
const HASHED = { "Cache-Control": "public, max-age=604800" };

/**
 * Paths that the assets layer serves by itself, with the headers that they have in addition to those of every response.
 * wrangler.toml excludes the same paths in `run_worker_first`; test/contract/deployment.test.ts compares the two.
 */
export const STATIC_PATHS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	"/assets/*": HASHED,
	"/console/assets/*": HASHED,
	"/docs/_astro/*": HASHED,
	"/docs/pagefind/*": { "Cache-Control": "no-cache" },
	"/docs/icon.svg": { "Cache-Control": "no-cache" },
};

export function buildHeadersFile(): string {
	const rule = ([path, headers]: [string, Readonly<Record<string, string>>]) =>
		[path, ...Object.entries({ ...EVERYWHERE, ...headers }).map(([name, value]) => `  ${name}: ${value}`)].join("\n");
	return `${Object.entries(STATIC_PATHS).map(rule).join("\n\n")}\n`;
}
