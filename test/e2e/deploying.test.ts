// npm run deploy, with the real wrangler, against an account that exists in memory only.
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { listMigrations, MIGRATIONS, openMigratedDatabase } from "../../scripts/migration/database.ts";
import { type CloudflareApi, startCloudflareApi } from "../support/cloudflare-api.ts";
import { type CommandResult, runCommandLine } from "../support/commands.ts";

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url).href);
const QUEUES = ["bounty-platform-evaluation", "bounty-platform-evaluation-dead", "bounty-platform-webhooks"];

let api: CloudflareApi;

beforeEach(async () => {
	api = await startCloudflareApi();
});

afterEach(async () => {
	await api.close();
});

function deploy(...args: string[]): Promise<CommandResult> {
	const script = ["--js-base-64", "--import", pathOf("../support/healthy-deployment.mjs"), pathOf("../../scripts/deploy.ts")];
	// A machine without Docker, whatever this one has.
	return runCommandLine([process.execPath, ...script, ...args], { env: { ...api.env, WRANGLER_DOCKER_BIN: "/nowhere/docker" } });
}

it("builds and measures the Worker without an account", async () => {
	const { code, stdout, stderr } = await runCommandLine([process.execPath, pathOf("../../scripts/deploy.ts"), "--dry-run"], {
		env: { CLOUDFLARE_API_TOKEN: "" },
	});
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	expect(stdout).toMatch(/The Worker has \d+\.\d KB \(gzip\) of at most 600 KB/);
});

it("changes nothing while a secret is missing, and says how to set it", async () => {
	const { code, stderr } = await deploy();
	expect(code).toBe(1);
	expect(stderr).toContain("SECRETS_KEY: is not set");
	expect(stderr).toContain("openssl rand -base64 32 | npm run -s wrangler -- secret put SECRETS_KEY");
	expect(api.changes).toEqual([]);
});

it("changes nothing without the origin of its links", async () => {
	api.secrets = ["SECRETS_KEY"];
	const { code, stderr } = await deploy();
	expect(code).toBe(1);
	expect(stderr).toContain("PUBLIC_URL: must be set outside development, with https");
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

it("says how to set a secret of an environment", async () => {
	const { code, stderr } = await deploy("--env", "staging");
	expect(code).toBe(1);
	expect(stderr).toContain("npm run -s wrangler -- secret put SECRETS_KEY --env staging");
	expect(stderr).toContain("[env.staging.vars]");
});

it("creates what is missing, in an order in which nothing is ever without what it needs, and writes no id anywhere", async () => {
	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	const configuration = await readFile(pathOf("../../wrangler.toml"), "utf8");
	const { code, stdout, stderr } = await deploy();
	const warnings = /^No judge is configured[^\n]*\nNo grader is configured[^\n]*$/;
	expect({ code, stderr: stderr.trim() }).toEqual({ code: 0, stderr: expect.stringMatching(warnings) });
	expect(stdout).toMatch(/https:\/\/\S+\.workers\.dev\/health answers 200 .*"status":"ok"/);
	expect(api.databases).toEqual(["bounty-platform"]);
	expect(api.buckets).toEqual(["bounty-platform"]);
	expect(api.queues.toSorted()).toEqual(QUEUES);
	expect(api.assets).toEqual(expect.arrayContaining(["/docs.json", "/openapi.json"]));
	const upload = api.changes.findIndex((change) => change.startsWith("PUT ") && change.endsWith("/scripts/bounty-platform"));
	expect(api.changes.slice(upload + 1)).toContain("PUT /accounts/acc1/workers/scripts/bounty-platform/schedules");
	expect(api.changes.findIndex((change) => change.endsWith("/d1/database"))).toBeLessThan(upload);
	expect(await readFile(pathOf("../../wrangler.toml"), "utf8")).toBe(configuration);
	expect(appliedMigrations("bounty-platform")).toEqual(listMigrations(MIGRATIONS));
}, 240_000);

it("deploys staging with resources of its own, also where the server cuts a trigger in two", async () => {
	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	api.isSplitterBroken = true;
	const { code, stdout, stderr } = await deploy("--env", "staging");
	expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("Imported migrations/0000_initial.sql.") });
	expect(stderr).toContain("incomplete input");
	expect(api.databases).toEqual(["bounty-platform-staging"]);
	expect(api.buckets).toEqual(["bounty-platform-staging"]);
	expect(api.queues.toSorted()).toEqual(QUEUES.map((queue) => queue.replace("bounty-platform", "bounty-platform-staging")));
	expect(api.changes.some((change) => change.endsWith("/scripts/bounty-platform-staging"))).toBe(true);
	expect(appliedMigrations("bounty-platform-staging")).toEqual(listMigrations(MIGRATIONS));
	const triggers = "SELECT count(*) AS count FROM sqlite_schema WHERE type = 'trigger'";
	expect(api.open("bounty-platform-staging").prepare(triggers).get()).toEqual(openMigratedDatabase(MIGRATIONS).prepare(triggers).get());
}, 240_000);

function appliedMigrations(database: string): unknown[] {
	const rows = api.open(database).prepare("SELECT name FROM d1_migrations ORDER BY id").all();
	return rows.map(({ name }) => name);
}
