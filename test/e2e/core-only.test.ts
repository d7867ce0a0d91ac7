// The core alone is a platform: it starts without extensions, serves its own document, and plays the loop of a competition.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { chooseByCondition } from "../../scripts/setup/extensions.mjs";
import { PROJECT_ROOT } from "../../scripts/support/wrangler.ts";
import { coreOperations } from "../../src/compose/core-operations.ts";
import { startCheckingProxy } from "../support/checking-proxy.ts";
import { type Home, makeHome, runCommandLine, type StartedPlatform, startAtHome } from "../support/commands.ts";
import { OpenApiDocument } from "../support/openapi-document.ts";

const CORE_ONLY = { EXTENSIONS: "none", ...chooseByCondition({ EXTENSIONS: "none" }) };

const documentShape = z.looseObject({
	paths: z.record(z.string(), z.record(z.string(), z.looseObject({ operationId: z.string().optional() }))),
	webhooks: z.record(z.string(), z.unknown()),
	components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() })) }),
});

let home: Home;
let platform: StartedPlatform;

beforeAll(async () => {
	const setup = join(PROJECT_ROOT, "scripts", "setup.mjs");
	const { code, stderr } = await runCommandLine([process.execPath, setup], { env: { EXTENSIONS: "none" } });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	home = await makeHome();
	platform = await startAtHome({ ...home, env: { ...home.env, ...CORE_ONLY } });
});

afterAll(async () => {
	await platform?.stop("SIGTERM");
	await home?.remove();
});

async function readDocument() {
	const text = await (await fetch(`${platform.url}/openapi.json`)).text();
	return { parsed: documentShape.parse(JSON.parse(text)), whole: new OpenApiDocument(JSON.parse(text)) };
}

it("its document has the operations of the core and no other, and no fields or events of extensions", async () => {
	const { paths, webhooks, components } = (await readDocument()).parsed;
	const operations = Object.values(paths).flatMap((path) => Object.values(path).flatMap(({ operationId }) => operationId ?? []));
	expect(operations.toSorted()).toEqual(Object.keys(coreOperations).toSorted());
	expect(Object.keys(webhooks)).toContain("deal.created");
	expect(Object.keys(webhooks).filter((name) => /question|appeal|review|deal\.updated/.test(name))).toEqual([]);
	expect(Object.keys(components.schemas["TaskDetail"]?.properties ?? {})).not.toContain("questions");
});

it("it plays the loop of a competition, and every response fits its document", async () => {
	const proxy = await startCheckingProxy((await readDocument()).whole, platform.url);
	try {
		const readme = await readFile(join(PROJECT_ROOT, "README.md"), "utf8");
		const block = /```bash\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";
		const script = block.replace("http://127.0.0.1:8787", proxy.url);
		const { code, stdout, stderr } = await runCommandLine(["bash", "-eo", "pipefail", "-c", script], { cwd: home.stateDir });
		expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
		expect(stdout).toMatch(/final_score: [1-9]/);
		expect(stdout).toContain("position: 1");
	} finally {
		await proxy.stop();
	}
});

it("other doors are not there, and `/` leads to the handbook", async () => {
	for (const path of ["/mcp", "/console", "/tasks", "/llms.txt", "/api/v1/inbox", "/api/admin/switches"]) {
		expect({ path, status: (await fetch(platform.url + path, { headers: { Accept: "text/html" } })).status }).toEqual({
			path,
			status: 404,
		});
	}
	const home = await fetch(platform.url);
	expect(home.url).toBe(`${platform.url}/api/docs`);
	const { for_posters } = z
		.looseObject({ for_posters: z.looseObject({ steps: z.array(z.looseObject({ operation_id: z.string() })) }) })
		.parse(await home.json());
	expect(for_posters.steps.map(({ operation_id }) => operation_id)).not.toContain("payDeal");
});
