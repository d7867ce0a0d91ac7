// npm run deploy refuses these, with the real wrangler, against an account that exists only in memory. The rehearsal shows a deployment.
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { openAccount } from "../../scripts/deploy/cloudflare.ts";
import { setLifecycleRule } from "../../scripts/deploy/lifecycle.ts";
import { createMissingResources, readDeployment } from "../../scripts/deploy/preparation.ts";
import { assertSwitchedOn } from "../../scripts/deploy/switched-on.ts";
import type { CloudflareApi } from "../../scripts/rehearsal/api-state.ts";
import { startCloudflareApi } from "../../scripts/rehearsal/cloudflare-api.ts";
import { askWrangler } from "../../scripts/support/wrangler.ts";
import { type CommandResult, runCommandLine } from "../support/commands.ts";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url).href);

let api: CloudflareApi;

beforeEach(async () => {
	api = await startCloudflareApi();
});

afterEach(async () => {
	vi.unstubAllEnvs();
	vi.restoreAllMocks();
	await api.close();
});

function deploy(...args: string[]): Promise<CommandResult> {
	const script = ["--js-base-64", pathOf("../../scripts/deploy.ts")];
	// The command behaves as on a machine without Docker.
	return runCommandLine([process.execPath, ...script, ...args], { env: { ...api.env, WRANGLER_DOCKER_BIN: "/nowhere/docker" } });
}

it.each([["deploy"], ["versions", "upload"]])(
	"refuses plain wrangler %s %s, which would create the grader's class without its container",
	async (...args) => {
		const { ok, output } = await askWrangler({
			args: [...args, "--env", "staging"],
			env: { ...api.env, WRANGLER_DOCKER_BIN: "/nowhere/docker" },
		});
		expect(ok).toBe(false);
		expect(output).toContain("Use npm run deploy");
		expect(api.changes).toEqual([]);
	},
);

it("says that Cloudflare cannot be reached, or refuses the token", async () => {
	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	api = { ...api, env: { ...api.env, CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1/client/v4" } };
	const { code, stderr } = await deploy("--env", "staging");
	expect(code).toBe(1);
	expect(stderr).toContain("Cloudflare rejects the token in CLOUDFLARE_API_TOKEN, or cannot be reached.");
	expect(stderr).not.toContain("    at ");
});

it("changes nothing without the origin of its links", async () => {
	api.secrets = ["SECRETS_KEY"];
	const { code, stderr } = await deploy();
	expect(code).toBe(1);
	expect(stderr).toContain("PUBLIC_URL: must be an https URL outside development");
	expect(stderr).toContain("npm run deploy -- --secrets-file secrets.env");
	expect(api.changes).toEqual([]);
});

it("changes nothing for an environment that wrangler.toml does not have", async () => {
	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	const { code, stderr } = await deploy("--env", "stagign");
	expect(code).toBe(1);
	expect(stderr).toContain('No environment found in configuration with name "stagign"');
	expect(stderr).not.toContain("    at ");
	expect(api.changes).toEqual([]);
});

it("changes nothing while R2 or Analytics Engine is not switched on, and says where to click", async () => {
	for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
	const warn = vi.spyOn(console, "warn").mockReturnValue();
	const [deployment, account] = [readDeployment("staging"), await openAccount()];
	await assertSwitchedOn(deployment, account);
	api.switchedOff.add("r2");
	await expect(assertSwitchedOn(deployment, account)).rejects.toThrow("R2: https://dash.cloudflare.com/acc1/r2/overview");
	api.switchedOff.add("analytics engine");
	await expect(assertSwitchedOn(deployment, account)).rejects.toThrow(
		/r2\/overview\n.*dash\.cloudflare\.com\/acc1\/workers\/analytics-engine/,
	);
	api.switchedOff.delete("r2");
	await assertSwitchedOn({ hasDatasets: false }, account);
	expect(warn).not.toHaveBeenCalled();
	expect(api.changes).toEqual([]);

	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	const { code, stderr } = await deploy("--env", "staging");
	expect(code).toBe(1);
	expect(stderr).toContain("Nothing was created.");
	expect(api.changes).toEqual([]);
});

it("gives the bucket a rule that deletes abandoned uploads, once, and keeps the operator's own rules", async () => {
	for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
	const deployment = readDeployment("staging");
	const account = await openAccount();
	const name = deployment.bucket;
	const warn = vi.spyOn(console, "warn").mockReturnValue();
	vi.spyOn(console, "log").mockReturnValue();
	await setLifecycleRule(deployment, account);
	expect(warn).toHaveBeenCalledOnce();
	expect(api.lifecycleRules.size).toBe(0);

	api.buckets.push(name);
	api.lifecycleRules.set(name, [{ id: "own", enabled: true, conditions: { prefix: "tasks/" } }]);
	await setLifecycleRule(deployment, account);
	const month = 30 * 24 * 60 * 60;
	const rule = {
		id: "abandoned-uploads",
		enabled: true,
		conditions: { prefix: "uploads/" },
		deleteObjectsTransition: { condition: { type: "Age", maxAge: month } },
	};
	expect(api.lifecycleRules.get(name)).toEqual([expect.objectContaining({ id: "own" }), rule]);
	const before = [...api.changes];
	await setLifecycleRule(deployment, account);
	expect(api.changes).toEqual(before);
	expect(warn).toHaveBeenCalledOnce();
});

it("creates the databases in the jurisdiction of the deployment", async () => {
	for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
	vi.spyOn(console, "log").mockReturnValue();
	const deployment = { ...readDeployment("staging"), jurisdiction: "eu" };
	await createMissingResources(deployment, await openAccount());
	expect(Object.fromEntries(api.jurisdictions)).toEqual({ "bounty-platform-staging": "eu", "bounty-platform-staging-search": "eu" });
	const changes = [...api.changes];
	await createMissingResources(deployment, await openAccount());
	expect(api.changes).toEqual(changes);
});

it.each([
	["a database without a jurisdiction", null, "eu", "The database bounty-platform-staging is in no jurisdiction."],
	["a database of another jurisdiction", "us", "eu", "The database bounty-platform-staging is in the jurisdiction us."],
	["a database in a jurisdiction that is not set", "eu", null, "The database bounty-platform-staging is in the jurisdiction eu."],
])("changes nothing if there is %s", async (_, present, wanted, fault) => {
	for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
	api.databases.push("bounty-platform-staging");
	if (present !== null) api.jurisdictions.set("bounty-platform-staging", present);
	const deploying = createMissingResources({ ...readDeployment("staging"), jurisdiction: wanted }, await openAccount());
	await expect(deploying).rejects.toThrow(fault);
	expect(api.changes).toEqual([]);
});

it("changes nothing if the bucket is in another jurisdiction, where a binding does not find it", async () => {
	for (const [name, value] of Object.entries(api.env)) vi.stubEnv(name, value);
	api.buckets.push("bounty-platform-staging");
	const deploying = createMissingResources({ ...readDeployment("staging"), jurisdiction: "eu" }, await openAccount());
	await expect(deploying).rejects.toThrow("A bucket bounty-platform-staging is in no jurisdiction.");
	expect(api.changes).toEqual([]);
});
