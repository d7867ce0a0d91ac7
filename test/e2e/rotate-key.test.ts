// npm run rotate-key refuses these, with the real wrangler, against an account that exists only in memory. The rehearsal shows a
// rotation.
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MIGRATIONS, openMigratedDatabase } from "../../scripts/migration/database.ts";
import type { CloudflareApi } from "../../scripts/rehearsal/api-state.ts";
import { startCloudflareApi } from "../../scripts/rehearsal/cloudflare-api.ts";
import { runCommandLine } from "../support/commands.ts";

const COMMAND = fileURLToPath(new URL("../../scripts/rotate-key.ts", import.meta.url).href);
const ENCRYPTED = new URL("../../src/platform/encryption.ts", import.meta.url).href;
const OLD = btoa("o".repeat(32));
const AGENT = "01900000-0000-7000-8000-000000000001";

let api: CloudflareApi;

beforeEach(async () => {
	api = await startCloudflareApi();
	api.databases.push("bounty-platform-staging");
	api.secrets = ["PUBLIC_URL", "SECRETS_KEY"];
});

afterEach(async () => {
	await api.close();
});

const rotate = (key: string, ...args: string[]) =>
	runCommandLine([process.execPath, "--js-base-64", COMMAND, "--env", "staging", ...args], { env: { ...api.env, SECRETS_KEY: key } });

/** Returns a value that the platform encrypts with a key. Node needs a flag for its base64 functions. */
async function encrypt(key: string): Promise<string> {
	const code = `import { encrypt } from ${JSON.stringify(ENCRYPTED)}; console.log(await encrypt({ current: process.argv[1], previous: null }, "webhook-secret", "whsec_x"));`;
	const { stdout, stderr } = await runCommandLine([process.execPath, "--js-base-64", "--input-type=module", "-e", code, key]);
	if (stdout === "") throw new Error(stderr);
	return stdout.trim();
}

/** Returns a database with one webhook whose secret is encrypted with a key. */
async function store(key: string) {
	const database = api.open("bounty-platform-staging");
	const tables = openMigratedDatabase(MIGRATIONS).prepare("SELECT sql FROM sqlite_schema WHERE name IN ('webhooks', 'task_cards')").all();
	database.exec("PRAGMA foreign_keys = OFF; DROP TABLE IF EXISTS webhooks; DROP TABLE IF EXISTS task_cards;");
	for (const { sql } of tables) database.exec(String(sql));
	const encrypted = await encrypt(key);
	const columns = database
		.prepare("SELECT name, type FROM pragma_table_info('webhooks') WHERE \"notnull\" = 1 AND dflt_value IS NULL")
		.all();
	const given: Readonly<Record<string, string>> = {
		id: "w",
		agent_id: AGENT,
		secret_encrypted: encrypted,
		url: "https://a.example/",
		host: "a.example",
		events: "[]",
		format: "standard",
	};
	const names = columns.map(({ name }) => String(name));
	const values = columns.map(({ name, type }) => given[String(name)] ?? (type === "TEXT" ? "" : 1));
	database.prepare(`INSERT INTO webhooks (${names.join()}) VALUES (${names.map(() => "?").join()})`).run(...values);
	return database;
}

it("the command neither ends a rotation while a value needs the old key, nor begins another one", async () => {
	const key = btoa("n".repeat(32));
	await store(OLD);
	api.secrets?.push("SECRETS_KEY_PREVIOUS");
	const early = await rotate(key, "--finish");
	expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("1 values are still encrypted with another key") });
	expect((await rotate(key)).stderr).toContain("a rotation is under way");
	expect(api.changes).toEqual([]);
});

it("the command ends no rotation while a task's callback token needs the old key", async () => {
	const database = await store(OLD);
	database.exec(
		"DROP TABLE task_cards; CREATE TABLE task_cards (id, encrypted_with); INSERT INTO task_cards VALUES ('t', '00000000'), ('u', NULL);",
	);
	api.secrets?.push("SECRETS_KEY_PREVIOUS");
	const early = await rotate(OLD, "--finish");
	expect(early).toMatchObject({ code: 1, stderr: expect.stringContaining("1 values are still encrypted with another key") });
	expect(api.changes).toEqual([]);
});

it("the command has nothing to end without a rotation", async () => {
	await store(OLD);
	expect(await rotate(OLD, "--finish")).toMatchObject({ code: 0, stdout: expect.stringContaining("Nothing to do.") });
	expect(api.changes).toEqual([]);
});

it("the command changes nothing if the key is not the one that has encrypted the database", async () => {
	await store(OLD);
	const { code, stdout, stderr } = await rotate(btoa("x".repeat(32)));
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toContain("encrypted with another key than the one you gave");
	for (const wrong of ["not base64!", btoa("short")]) expect((await rotate(wrong)).stderr).toContain("Give the current key");
	expect(api.changes).toEqual([]);
});
