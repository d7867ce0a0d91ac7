// npm run rehearse does what an operator does, from the first deployment to the end of a rotation, on this machine and without an account.
// The real commands and the real wrangler talk to an imitation of Cloudflare's API. The local runtime plays the deployed Worker, on the
// database that the imitation serves. It prints one line for each step and ends at the first fault, with exit code 1.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "./migration/database.ts";
import { chooseContainer, setSecrets, writeMigration } from "./rehearsal/checkout.ts";
import { listApplied } from "./rehearsal/databases.ts";
import { startPlatform } from "./rehearsal/platform.ts";
import { type Command, prepareOther, prepareRehearsal, type Rehearsal, run, succeed } from "./rehearsal/rehearsal.ts";
import { readAll, usePlatform } from "./rehearsal/use.ts";
import { runCommand } from "./support/command.ts";
import { listMigrations, MIGRATION_FOLDERS } from "./support/databases.ts";
import { buildDocsNow } from "./support/docs.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";
import { askWrangler } from "./support/wrangler.ts";

const QUEUES = ["checks", "evaluation", "evaluation-dead", "sweeps"].map((queue) => `bounty-platform-staging-${queue}`);
const STAGING = ["--env", "staging"] as const;
const ADDITION = { tag: "9999_rehearsal", sql: "ALTER TABLE agents ADD rehearsed integer NOT NULL DEFAULT 0;" };
const PUBLIC_URL = "https://staging.example.com";
const FIRST_KEY = Buffer.from("the-first-key-of-this-rehearsal!").toString("base64");
const MAX_TRIES = 20;
const RETRY_MS = 1000;
const REMOVAL = { tag: ADDITION.tag, sql: "DROP TABLE deals;" };

await runCommand(async () => {
	await buildDocsNow();
	const rehearsal = await prepareRehearsal();
	stopSignal().addEventListener("abort", () => rehearsal.end().finally(() => process.exit(1)), { once: true });
	try {
		await step("refuse to deploy without secrets", () => refuseWithoutSecrets(rehearsal));
		await step("deploy to staging with a file of secrets, although the server splits a trigger wrongly, and smoke test", () =>
			deployFirst(rehearsal),
		);
		await step("migrate: every migration and every trigger is there", () => assertMigrated(rehearsal));
		const readings = await step("use: tasks, submissions, scores, a deal", () => usePlatform(urlOf(rehearsal)));
		await step("rotate the secret key", () => rotateKey(rehearsal));
		await step("refuse a migration that takes something away", () => refuseRemoval(rehearsal));
		await step("upgrade, while the first version serves on the new schema", () => upgrade(rehearsal));
		await step("read everything that was there before, and smoke test again", async () => {
			await readAll(urlOf(rehearsal), readings);
			await smoke(rehearsal);
		});
		await step("roll back, and forward again", () => rollBack(rehearsal));
		await step("end the rotation, once every secret is sealed with the new key", () => finishRotation(rehearsal));
		await deployInOtherOrder(rehearsal);
	} finally {
		await rehearsal.end();
	}
	console.log("\nEvery step of the rehearsal has worked.");
});

function urlOf({ running }: Rehearsal): string {
	if (running === null) throw new Error("No platform runs.");
	return running.url;
}

async function refuseWithoutSecrets(rehearsal: Rehearsal): Promise<void> {
	const { code, stderr } = await run(rehearsal, { root: rehearsal.first, line: ["scripts/deploy.ts", ...STAGING] });
	assert.equal(code, 1);
	assert.match(stderr, /SECRETS_KEY: is not set/);
	assert.deepEqual(rehearsal.api.changes, []);
}

async function deployFirst(rehearsal: Rehearsal): Promise<void> {
	const { api, first, place, secretsFile } = rehearsal;
	await setSecrets(first, { SECRETS_KEY: FIRST_KEY });
	await writeFile(secretsFile, `PUBLIC_URL=${PUBLIC_URL}\nSECRETS_KEY=${FIRST_KEY}\n`);
	const configuration = await readFile(join(first, "wrangler.toml"), "utf8");
	api.isSplitterBroken = true;
	rehearsal.onUpload = async () => {
		rehearsal.running = await startPlatform(first, place);
	};
	const args = [...STAGING, "--secrets-file", secretsFile, "--without-webhook"];
	const { stdout } = await succeed(rehearsal, { root: first, line: ["scripts/deploy.ts", ...args] });
	// The secrets came with the Worker, so there was no draft, and no version without them.
	assert.deepEqual(api.versions, ["upload"]);
	assert.deepEqual(Object.fromEntries(api.values), { SECRETS_KEY: FIRST_KEY, PUBLIC_URL });
	assert.deepEqual([...api.replicated].toSorted(), ["bounty-platform-staging", "bounty-platform-staging-search"]);
	assert.equal(api.classes.has("Grader"), false);
	assert.match(stdout, /wait for its score[\s\S]*\.workers\.dev works\./);
	for (const file of listMigrations(MIGRATIONS)) assert.match(stdout, new RegExp(`Imported migrations/${file}\\.`));
	assert.match(stdout, /Cloudflare has started the Worker in 10 ms\./);
	assert.match(stdout, /\/ready: d1 ok, r2 ok, queue ok, migrations ok, grader none\./);
	assert.deepEqual(api.databases, ["bounty-platform-staging", "bounty-platform-staging-search"]);
	assert.deepEqual(api.buckets, ["bounty-platform-staging"]);
	assert.deepEqual(api.queues.toSorted(), QUEUES);
	assert.ok(api.assets.includes("/docs.json") && api.assets.includes("/openapi.json"), "The static files were not uploaded.");
	assert.equal(await readFile(join(first, "wrangler.toml"), "utf8"), configuration);
	// Nothing is ever without what it needs.
	const orderOf = (end: string) => api.changes.findLastIndex((change) => change.endsWith(end));
	const order = ["/d1/database", "/import", "/scripts/bounty-platform-staging", "/scripts/bounty-platform-staging/schedules"].map(orderOf);
	assert.ok(!order.includes(-1), `Not every change was made: ${api.changes.join(", ")}`);
	assert.deepEqual(
		order,
		order.toSorted((one, other) => one - other),
	);
}

async function assertMigrated({ api }: Rehearsal): Promise<void> {
	const db = api.open("bounty-platform-staging");
	assert.deepEqual(listApplied(db), listMigrations(MIGRATIONS));
	assert.deepEqual(readTriggers(db), readTriggers(openMigratedDatabase(MIGRATIONS)));
	assert.deepEqual(listApplied(api.open("bounty-platform-staging-search")), listMigrations(MIGRATION_FOLDERS.SEARCH));
}

/** Receivers of webhooks are reached by https only, which the rehearsal does not have. */
async function smoke(rehearsal: Rehearsal): Promise<void> {
	await succeed(rehearsal, { root: rehearsal.first, line: ["scripts/smoke.ts", "--url", urlOf(rehearsal), "--without-webhook"] });
}

async function rotateKey(rehearsal: Rehearsal): Promise<void> {
	const { api, first, second } = rehearsal;
	const { stdout } = await succeed(rehearsal, { root: first, line: ["scripts/rotate-key.ts", ...STAGING] });
	const { PUBLIC_URL: _, ...secrets } = Object.fromEntries(api.values);
	assert.deepEqual(secrets, { SECRETS_KEY: stdout.trim(), SECRETS_KEY_PREVIOUS: FIRST_KEY });
	assert.notEqual(secrets["SECRETS_KEY"], FIRST_KEY);
	await setSecrets(second, secrets);
}

async function refuseRemoval(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	await writeMigration(second, REMOVAL);
	const changes = [...api.changes];
	const { code, stderr } = await run(rehearsal, { root: second, line: ["scripts/deploy.ts", ...STAGING] });
	assert.equal(code, 1);
	assert.match(stderr, /takes away what the running version may still use:\s+DROP TABLE deals/);
	assert.deepEqual(api.changes, changes);
}

async function upgrade(rehearsal: Rehearsal): Promise<void> {
	const { api, second, place } = rehearsal;
	await writeMigration(second, ADDITION);
	api.isSplitterBroken = false;
	rehearsal.onUpload = async () => {
		assert.ok(listApplied(api.open("bounty-platform-staging")).includes(`${ADDITION.tag}.sql`), "The schema comes before the Worker.");
		await smoke(rehearsal);
		await rehearsal.running?.stop();
		rehearsal.running = await startPlatform(second, place);
	};
	await succeed(rehearsal, { root: second, line: ["scripts/deploy.ts", ...STAGING, "--without-smoke"] });
}

async function wrangler({ api }: Rehearsal, args: readonly string[], input?: string): Promise<void> {
	const { ok, output } = await askWrangler({ args, env: api.env, ...(input === undefined ? {} : { input }) });
	assert.ok(ok, output);
}

/**
 * Deploys in the other order: `secret put` comes first, which creates a draft of the Worker. The container is chosen later, and then no
 * longer wanted.
 */
async function deployInOtherOrder(rehearsal: Rehearsal): Promise<void> {
	const other = await prepareOther(rehearsal);
	const { api, first } = other;
	const production = ["--env", "production"];
	const deploy = () => succeed(other, { root: first, line: ["scripts/deploy.ts", ...production, "--without-smoke"] });
	try {
		await step("deploy to production after `secret put`, which creates a draft of the Worker", async () => {
			await wrangler(other, ["secret", "put", "SECRETS_KEY", ...production], `${FIRST_KEY}\n`);
			await wrangler(other, ["secret", "put", "PUBLIC_URL", ...production], `${PUBLIC_URL}\n`);
			assert.deepEqual(api.versions, ["draft", "secrets", "secrets"]);
			await deploy();
			assert.deepEqual(Object.fromEntries(api.values), { SECRETS_KEY: FIRST_KEY, PUBLIC_URL });
			assert.equal(api.classes.has("Grader"), false);
		});
		await step("switch the grader's container on, whose class is created with it", async () => {
			await chooseContainer(first, true);
			await deploy();
			assert.equal(api.classes.get("Grader"), true);
			assert.deepEqual(api.applications, ["bounty-platform-production-grader-production"]);
		});
		await step("switch the container off, which leaves its class as it is", async () => {
			await chooseContainer(first, false);
			await deploy();
			assert.deepEqual(api.containers, [{ class_name: "Grader", name: "bounty-platform-production-grader-production" }]);
			assert.equal(api.applications.length, 1);
		});
	} finally {
		await api.close();
	}
}

/** Rolls back. The version before the upgrade has the rotated key. That it works on the new schema was seen during the upgrade. */
async function rollBack(rehearsal: Rehearsal): Promise<void> {
	const { api } = rehearsal;
	const [rotated, upgraded = ""] = api.deployments.slice(-2);
	await wrangler(rehearsal, ["rollback", ...STAGING, "--yes", "--message", "Rehearsal"]);
	assert.equal(api.deployments.at(-1), rotated);
	await wrangler(rehearsal, ["rollback", upgraded, ...STAGING, "--yes", "--message", "Rehearsal"]);
	assert.equal(api.deployments.at(-1), upgraded);
}

/** The sweep that seals secrets began when the second version started, so the command may come before its end. */
async function finishRotation(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	const command: Command = { root: second, line: ["scripts/rotate-key.ts", ...STAGING, "--finish"] };
	let result = await run(rehearsal, command);
	for (let tries = 1; tries < MAX_TRIES && result.stderr.includes("are still sealed with another key"); tries += 1) {
		await delay(RETRY_MS);
		result = await run(rehearsal, command);
	}
	assert.equal(result.code, 0, result.stderr);
	assert.deepEqual([...api.values.keys()].toSorted(), ["PUBLIC_URL", "SECRETS_KEY"]);
}
