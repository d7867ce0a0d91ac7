// npm run rehearse: what an operator does, from the first deployment to a restore, on this machine and without an account. The real
// commands and the real wrangler talk to an imitation of Cloudflare's API. The local runtime plays the deployed Worker, on the database
// that the imitation serves. It prints one line for each step and ends at the first fault, with exit code 1.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { listMigrations, MIGRATIONS, openMigratedDatabase, readTriggers } from "./migration/database.ts";
import { setSecrets, switchBackupsOn, writeMigration } from "./rehearsal/checkout.ts";
import { listApplied, listTables, openDatabase, readDatabase } from "./rehearsal/databases.ts";
import { startPlatform } from "./rehearsal/platform.ts";
import { copyBuckets, prepareRehearsal, type Rehearsal, run, succeed } from "./rehearsal/rehearsal.ts";
import { readAll, tryTriggers, usePlatform } from "./rehearsal/use.ts";
import { runCommand } from "./support/command.ts";
import { buildDocsNow } from "./support/docs.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";
import { askWrangler } from "./support/wrangler.ts";

const QUEUES = ["evaluation", "evaluation-dead", "webhooks"].map((queue) => `bounty-platform-staging-${queue}`);
const STAGING = ["--env", "staging"] as const;
const ADDITION = { tag: "9999_rehearsal", sql: "ALTER TABLE agents ADD rehearsed integer NOT NULL DEFAULT 0;" };
const REMOVAL = { tag: ADDITION.tag, sql: "DROP TABLE deals;" };

await runCommand(async () => {
	await buildDocsNow();
	const rehearsal = await prepareRehearsal();
	stopSignal().addEventListener("abort", () => rehearsal.end().finally(() => process.exit(1)), { once: true });
	try {
		await step("deploy to staging, although the server splits a trigger wrongly", () => deployFirst(rehearsal));
		await step("migrate: every migration and every trigger is there", () => assertMigrated(rehearsal));
		await step("smoke test", () => smoke(rehearsal));
		const readings = await step("use: tasks, submissions, scores, a deal", () => usePlatform(urlOf(rehearsal)));
		await step("rotate the secret key", () => rotateKey(rehearsal));
		await step("refuse a migration that takes something away", () => refuseRemoval(rehearsal));
		await step("upgrade, while the first version serves on the new schema", () => upgrade(rehearsal));
		const before = await readAll(urlOf(rehearsal), readings);
		await step("back up", () => backUp(rehearsal));
		await step("roll back, and forward again", () => rollBack(rehearsal));
		await step("end the rotation, once every secret is sealed with the new key", () => finishRotation(rehearsal));
		await step("restore into production, which is empty", () => restore(rehearsal));
		await step("read everything again, and try the triggers", async () => {
			rehearsal.running = await startPlatform(rehearsal.second, rehearsal.newPlace);
			assert.deepEqual(await readAll(urlOf(rehearsal), readings), before);
			await tryTriggers(urlOf(rehearsal));
		});
		await step("restore the copy of the bucket on this machine", () => restoreLocally(rehearsal));
		await step("refuse to restore over rows", () => refuseRestore(rehearsal));
	} finally {
		await rehearsal.end();
	}
	console.log("\nEvery step of the rehearsal has worked.");
});

function urlOf({ running }: Rehearsal): string {
	if (running === null) throw new Error("No platform runs.");
	return running.url;
}

async function deployFirst(rehearsal: Rehearsal): Promise<void> {
	const { api, first, place } = rehearsal;
	const configuration = await readFile(join(first, "wrangler.toml"), "utf8");
	api.secrets = ["SECRETS_KEY", "PUBLIC_URL"];
	api.isSplitterBroken = true;
	rehearsal.onUpload = async () => {
		rehearsal.running = await startPlatform(first, place);
	};
	const { stdout } = await succeed(rehearsal, { root: first, line: ["scripts/deploy.ts", ...STAGING] });
	for (const file of listMigrations(MIGRATIONS)) assert.match(stdout, new RegExp(`Imported migrations/${file}\\.`));
	assert.match(stdout, /\/ready: d1 ok, r2 ok, queue ok, migrations ok\./);
	assert.deepEqual(api.databases, ["bounty-platform-staging"]);
	assert.deepEqual(api.buckets, ["bounty-platform-staging"]);
	assert.deepEqual(api.queues.toSorted(), QUEUES);
	assert.ok(api.assets.includes("/docs.json") && api.assets.includes("/openapi.json"), "The static files were not uploaded.");
	assert.equal(await readFile(join(first, "wrangler.toml"), "utf8"), configuration);
	// Nothing is ever without what it needs.
	const orderOf = (end: string) => api.changes.findIndex((change) => change.endsWith(end));
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
}

async function smoke(rehearsal: Rehearsal): Promise<void> {
	await succeed(rehearsal, { root: rehearsal.first, line: ["scripts/smoke.ts", "--url", urlOf(rehearsal)] });
}

async function rotateKey(rehearsal: Rehearsal): Promise<void> {
	const { api, first, second } = rehearsal;
	const old = Buffer.from("development-only-key-not-secret!").toString("base64");
	api.values.set("SECRETS_KEY", old);
	const { stdout } = await succeed(rehearsal, { root: first, line: ["scripts/rotate-key.ts", ...STAGING] });
	const secrets = Object.fromEntries(api.values);
	assert.deepEqual(secrets, { SECRETS_KEY: stdout.trim(), SECRETS_KEY_PREVIOUS: old });
	assert.notEqual(secrets["SECRETS_KEY"], old);
	await setSecrets(second, secrets);
}

async function refuseRemoval(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	await switchBackupsOn(second);
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
	await succeed(rehearsal, { root: second, line: ["scripts/deploy.ts", ...STAGING] });
	assert.ok(api.buckets.includes("bounty-platform-staging-backup"), "The bucket for backups was not created.");
}

async function wrangler({ api }: Rehearsal, ...args: string[]): Promise<void> {
	const { ok, output } = await askWrangler({ args, env: api.env });
	assert.ok(ok, output);
}

/** The backup has begun when the second version started. Afterwards nothing changes the database, so that the copies can be compared. */
async function backUp(rehearsal: Rehearsal): Promise<void> {
	await rehearsal.running?.waitFor('"event":"backup_finished"');
	await rehearsal.running?.stop();
	rehearsal.running = null;
	await copyBuckets(rehearsal);
}

/** The version before the upgrade has the rotated key. That it works on the new schema was seen during the upgrade. */
async function rollBack(rehearsal: Rehearsal): Promise<void> {
	const { api } = rehearsal;
	const upgraded = api.deployments.at(-1) ?? "";
	await wrangler(rehearsal, "rollback", ...STAGING, "--yes", "--message", "Rehearsal");
	assert.deepEqual(api.deployments.slice(-2), [upgraded, "version-2"]);
	await wrangler(rehearsal, "rollback", upgraded, ...STAGING, "--yes", "--message", "Rehearsal");
	assert.equal(api.deployments.at(-1), upgraded);
}

async function finishRotation(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	await succeed(rehearsal, { root: second, line: ["scripts/rotate-key.ts", ...STAGING, "--finish"] });
	assert.deepEqual([...api.values.keys()], ["SECRETS_KEY"]);
}

async function restore(rehearsal: Rehearsal): Promise<void> {
	const { place, newPlace, second, backups } = rehearsal;
	await wrangler(rehearsal, "d1", "create", "bounty-platform-production");
	const line = ["scripts/restore.ts", "--from", backups, "--env", "production"] as const;
	const { stdout } = await succeed(rehearsal, { root: second, line });
	assert.match(stdout, /Restored \d+ rows/);
	assert.deepEqual(readDatabase(newPlace.stateDir), readDatabase(place.stateDir));
}

async function restoreLocally(rehearsal: Rehearsal): Promise<void> {
	const { place, backups, second, localState } = rehearsal;
	await succeed(rehearsal, { root: second, line: ["scripts/restore.ts", "--from", backups], stateDir: localState });
	assert.deepEqual(readDatabase(localState), readDatabase(place.stateDir));
}

async function refuseRestore(rehearsal: Rehearsal): Promise<void> {
	const { backups, second, oldState } = rehearsal;
	// The newest backup of a bucket in the account is found, and read before anything is written.
	const bucket = ["--from", "bounty-platform-staging-backup"] as const;
	const online = await run(rehearsal, { root: second, line: ["scripts/restore.ts", ...bucket, "--env", "production"] });
	assert.equal(online.code, 1);
	assert.match(online.stdout, /Reading the backup \d{4}-/);
	assert.match(online.stderr, /The database is not empty, so nothing was changed\./);
	// A database of an older schema stays as it is, too.
	const db = openDatabase(oldState);
	db.exec("CREATE TABLE agents (id TEXT); INSERT INTO agents VALUES ('a')");
	db.close();
	const local = await run(rehearsal, { root: second, line: ["scripts/restore.ts", "--from", backups], stateDir: oldState });
	assert.equal(local.code, 1);
	assert.match(local.stderr, /nothing was changed\. It has rows in agents \(1\)\./);
	assert.deepEqual(listTables(oldState), ["agents"]);
}
