// Tests the URLs of packages over two deployments.
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { createApp } from "../../../src/app.ts";
import { testDeps } from "../../support/deps.ts";

const INTEGRITY = "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==";

/** Returns how a deployment responds whose build has these packages. */
function deploy(version: string, bytes: string) {
	const listed = [
		{ name: "@bounty-platform/sdk", version: `1.0.0-${version}`, file: `sdk-1.0.0-${version}.tgz`, builtAs: "sdk.tgz" },
		{
			name: "bounty-platform",
			version: `1.0.0+${version}`,
			file: `bounty_platform-1.0.0+${version}-py3-none-any.whl`,
			builtAs: "python.whl",
		},
	].map((each) => ({ ...each, integrity: INTEGRITY }));
	const files = new Map([
		["packages/built.json", JSON.stringify({ packages: listed })],
		["packages/sdk.tgz", `sdk ${bytes}`],
		["packages/python.whl", `wheel ${bytes}`],
	]);
	const find = async (path: string) => (files.has(path) ? new Response(files.get(path)) : null);
	const deps = testDeps();
	const assets: typeof deps.assets = { find, readJson: async (path, schema) => schema.parse(JSON.parse(files.get(path) ?? "null")) };
	const app = createApp(() => ({ ...deps, assets }));
	return async (path: string, headers: Readonly<Record<string, string>> = {}) =>
		app.fetch(new Request(`https://bounty.test${path}`, { headers }), env, createExecutionContext());
}

it("keep their bytes when another version is deployed", async () => {
	const first = deploy("aaaaaaaaaaaa", "one");
	const old = "/packages/sdk-1.0.0-aaaaaaaaaaaa.tgz";
	const served = await first(old);
	expect([served.status, await served.text()]).toEqual([200, "sdk one"]);
	expect(served.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
	const etag = served.headers.get("ETag") ?? "";
	expect((await first(old, { "If-None-Match": `"other", ${etag}` })).status).toBe(304);
	const oldWheel = "/packages/bounty_platform-1.0.0+aaaaaaaaaaaa-py3-none-any.whl";
	await (await first(oldWheel)).text();

	const second = deploy("bbbbbbbbbbbb", "two");
	expect(await (await second(old)).text()).toBe("sdk one");
	expect(await (await second(oldWheel)).text()).toBe("wheel one");
	// A build that gives an old name to other bytes does not change them.
	expect(await (await deploy("aaaaaaaaaaaa", "three")(old)).text()).toBe("sdk one");
	for (const [short, current] of [
		["sdk.tgz", "sdk-1.0.0-bbbbbbbbbbbb.tgz"],
		["python.whl", "bounty_platform-1.0.0+bbbbbbbbbbbb-py3-none-any.whl"],
	]) {
		const redirect = await second(`/packages/${short}`);
		expect([redirect.status, redirect.headers.get("Location")]).toEqual([302, `https://bounty.test/packages/${current}`]);
	}
	expect(await (await second("/packages/index.json")).json()).toMatchObject({
		packages: [{ version: "1.0.0-bbbbbbbbbbbb", url: "https://bounty.test/packages/sdk-1.0.0-bbbbbbbbbbbb.tgz", integrity: INTEGRITY }, {}],
	});
	for (const path of ["sdk-1.0.0-cccccccccccc.tgz", "built.json", "..%2fartifacts", "sdk-.tgz"]) {
		expect({ path, status: (await second(`/packages/${path}`)).status }).toEqual({ path, status: 404 });
	}
});
