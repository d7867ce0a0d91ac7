import { afterEach, expect, it, vi } from "vitest";
import { createAssets } from "../../src/platform/assets.ts";

/** This is the binding of a site without documentation. */
const binding = { fetch: async () => new Response(null, { status: 404 }) } as unknown as Fetcher;

afterEach(() => vi.unstubAllGlobals());

function stubFetch() {
	const requested: string[] = [];
	vi.stubGlobal("fetch", async (url: string) => {
		requested.push(url);
		return url.endsWith("/docs/index.html") ? new Response("built") : new Response(null, { status: 404 });
	});
	return requested;
}

it("finds documentation that was built after the start, where npm start serves it", async () => {
	const requested = stubFetch();
	const assets = createAssets(binding, "http://127.0.0.1:9999");
	expect(await (await assets.find("docs/index.html"))?.text()).toBe("built");
	expect(await assets.find("docs/none.html")).toBeNull();
	expect(await assets.find("console/index.html")).toBeNull();
	expect(await assets.find("docs/../secret")).toBeNull();
	expect(requested).toEqual(["http://127.0.0.1:9999/docs/index.html", "http://127.0.0.1:9999/docs/none.html"]);
});

it("never requests staged documentation in a deployment", async () => {
	const requested = stubFetch();
	expect(await createAssets(binding).find("docs/index.html")).toBeNull();
	expect(requested).toEqual([]);
});
