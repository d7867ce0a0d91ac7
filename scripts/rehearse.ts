// npm run rehearse performs an operator's work, from the first deployment to the end of a key rotation, on this machine and without an
// account. The real commands and the real wrangler talk to an imitation of Cloudflare's API. The local runtime plays the deployed Worker,
// on the database that the imitation serves. It prints one line for each step and ends at the first fault, with exit code 1.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseEnv } from "node:util";
import { MIGRATIONS, openMigratedDatabase, readTriggers } from "./migration/database.ts";
import { chooseContainer, setSecrets, writeMigration } from "./rehearsal/checkout.ts";
import { listApplied } from "./rehearsal/databases.ts";
import { startPlatform } from "./rehearsal/platform.ts";
import { prepareOther, prepareRehearsal, type Rehearsal, run, succeed, type TypedCommand } from "./rehearsal/rehearsal.ts";
import { readAll, usePlatform } from "./rehearsal/use.ts";
import { runCommand } from "./support/command.ts";
import { listMigrations, MIGRATION_FOLDERS } from "./support/databases.ts";
import { buildDocsNow } from "./support/docs.ts";
import { DEFAULT_STATE_DIR } from "./support/platform.ts";
import { step } from "./support/step.ts";
import { stopSignal } from "./support/stop-signal.ts";

const QUEUES = ["checks", "evaluation", "evaluation-dead", "sweeps"].map((queue) => `bounty-platform-staging-${queue}`);
const DEPLOY = "npm run deploy -- --env staging";
/** The webhook of the smoke test needs https, which the rehearsal does not have. */
const WITHOUT_WEBHOOK = "--without-webhook";
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
		await step("give the deployment an admin token and a receiver of alerts", () => setUpOperating(rehearsal));
		await step("rotate the secret key", () => rotateKey(rehearsal));
		await step("refuse a migration that removes something", () => refuseRemoval(rehearsal));
		await step("upgrade, while the first version serves on the new schema", () => upgrade(rehearsal));
		await step("read everything that was there before, and smoke test again", async () => {
			await readAll(urlOf(rehearsal), readings);
			await smoke(rehearsal);
		});
		await step("roll back, and forward again", () => rollBack(rehearsal));
		await step("save what was withdrawn, and apply it, the cards and the search index again", () => replayWithdrawals(rehearsal));
		await step("end the rotation, once every secret is encrypted with the new key", () => finishRotation(rehearsal));
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
	const { code, stderr } = await run(rehearsal, { root: rehearsal.first, command: DEPLOY });
	assert.equal(code, 1);
	assert.match(stderr, /SECRETS_KEY: is not set/);
	assert.deepEqual(rehearsal.api.changes, []);
}

async function deployFirst(rehearsal: Rehearsal): Promise<void> {
	const { api, first, place } = rehearsal;
	await succeed(rehearsal, {
		root: first,
		command: `printf 'PUBLIC_URL=${PUBLIC_URL}\\nSECRETS_KEY=%s\\n' "$(openssl rand -base64 32)" > secrets.env`,
	});
	const { SECRETS_KEY: firstKey = "", ...others } = parseEnv(await readFile(join(first, "secrets.env"), "utf8"));
	assert.deepEqual(others, { PUBLIC_URL });
	await setSecrets(first, { SECRETS_KEY: firstKey });
	const configuration = await readFile(join(first, "wrangler.toml"), "utf8");
	api.isSplitterBroken = true;
	rehearsal.onUpload = async () => {
		rehearsal.running = await startPlatform(first, place);
	};
	const { stdout } = await succeed(rehearsal, { root: first, command: `${DEPLOY} --secrets-file secrets.env ${WITHOUT_WEBHOOK}` });
	// The secrets were uploaded with the Worker, so there was neither a draft nor a version without secrets.
	assert.deepEqual(api.versions, ["upload"]);
	assert.deepEqual(Object.fromEntries(api.values), { SECRETS_KEY: firstKey, PUBLIC_URL });
	assert.deepEqual([...api.replicated].toSorted(), ["bounty-platform-staging", "bounty-platform-staging-search"]);
	assert.equal(api.classes.has("Grader"), false);
	assert.match(stdout, /The packages are stored: sdk-\S+\.tgz, cli-\S+\.tgz, \S+\.whl\./);
	assert.match(stdout, /wait for its score[\s\S]*\.workers\.dev works\./);
	// A deployment does not prepare local databases.
	assert.doesNotMatch(stdout, /Cron triggers/);
	assert.ok(!existsSync(join(first, DEFAULT_STATE_DIR)));
	for (const file of listMigrations(MIGRATIONS)) assert.match(stdout, new RegExp(`Imported migrations/${file}\\.`));
	assert.match(stdout, /Cloudflare has started the Worker in 10 ms\./);
	assert.match(stdout, /\/ready: d1 ok, r2 ok, objects ok, queue ok, migrations ok, d1_reads primary, grader none\./);
	assert.deepEqual(api.databases, ["bounty-platform-staging", "bounty-platform-staging-search"]);
	assert.deepEqual(api.buckets, ["bounty-platform-staging"]);
	assert.deepEqual(api.queues.toSorted(), QUEUES);
	const files = [...api.assets.values()];
	assert.ok(files.includes("/docs.json") && files.includes("/openapi.json"), "The static files were not uploaded.");
	assert.equal(await readFile(join(first, "wrangler.toml"), "utf8"), configuration);
	// If these changes were made in this order, every version of the Worker had what it needs.
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

async function smoke(rehearsal: Rehearsal): Promise<void> {
	await succeed(rehearsal, { root: rehearsal.first, command: `npm run smoke -- --url ${urlOf(rehearsal)} ${WITHOUT_WEBHOOK}` });
}

async function setUpOperating(rehearsal: Rehearsal): Promise<void> {
	const { api, first: root } = rehearsal;
	const made = await succeed(rehearsal, {
		root,
		command: [
			'TOKEN=svc_admin_$(openssl rand -hex 32) && echo "$TOKEN"',
			'printf %s "$TOKEN" | sha256sum | cut -c1-64 | npm run -s wrangler -- secret put ADMIN_TOKEN_SHA256 --env staging',
			"npm run -s wrangler -- secret put ALERT_WEBHOOK --env staging",
		].join("\n"),
		input: "https://alerts.example/hook\n",
	});
	assert.equal(api.values.get("ALERT_WEBHOOK"), "https://alerts.example/hook");
	rehearsal.adminToken = /svc_admin_[0-9a-f]{64}/.exec(made.stdout)?.[0] ?? "";
	// The imitation cannot set a secret of the running platform, so the platform restarts with it.
	await setSecrets(root, { ADMIN_TOKEN_SHA256: api.values.get("ADMIN_TOKEN_SHA256") ?? "" });
	await rehearsal.running?.stop();
	rehearsal.running = await startPlatform(root, rehearsal.place);
	const command = `export ADMIN_TOKEN="$TOKEN" PUBLIC_URL=${urlOf(rehearsal)}\nnpm run admin -- show-metrics --remote`;
	const { stdout } = await succeed(rehearsal, { root, command, env: { TOKEN: rehearsal.adminToken } });
	assert.match(stdout, /"queue_age_seconds": 0/);
	const days = "select * from judge_days where scope = 'deployment' order by day desc limit 30";
	await succeed(rehearsal, { root, command: `npm run -s wrangler -- d1 execute DB --remote --env staging --command "${days}"` });
}

/** Replays withdrawals, which a restored database would have forgotten. This database was not restored, so nothing changes. */
async function replayWithdrawals(rehearsal: Rehearsal): Promise<void> {
	const env = { ADMIN_TOKEN: rehearsal.adminToken, PUBLIC_URL: urlOf(rehearsal) };
	const type = (command: string) => succeed(rehearsal, { root: rehearsal.second, command, env });
	await type("npm run -s admin -- save-withdrawals --remote --env staging > withdrawals.jsonl");
	await type("npm run admin -- replay-withdrawals withdrawals.jsonl --remote --env staging");
	await type("npm run admin -- rebuild-directory --remote --env staging");
	await type("npm run admin -- rebuild-search --remote --env staging");
}

async function rotateKey(rehearsal: Rehearsal): Promise<void> {
	const { api, first, second } = rehearsal;
	const CURRENT_KEY = api.values.get("SECRETS_KEY") ?? "";
	await succeed(rehearsal, {
		root: first,
		command: 'SECRETS_KEY="$CURRENT_KEY" npm run -s rotate-key -- --env staging > new-key.txt',
		env: { CURRENT_KEY },
	});
	const newKey = (await readFile(join(first, "new-key.txt"), "utf8")).trim();
	const { PUBLIC_URL: _, ALERT_WEBHOOK: __, ...secrets } = Object.fromEntries(api.values);
	const ADMIN_TOKEN_SHA256 = secrets["ADMIN_TOKEN_SHA256"];
	assert.deepEqual(secrets, { SECRETS_KEY: newKey, SECRETS_KEY_PREVIOUS: CURRENT_KEY, ADMIN_TOKEN_SHA256 });
	assert.notEqual(newKey, CURRENT_KEY);
	await setSecrets(second, secrets);
}

async function refuseRemoval(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	await writeMigration(second, REMOVAL);
	const changes = [...api.changes];
	const { code, stderr } = await run(rehearsal, { root: second, command: DEPLOY });
	assert.equal(code, 1);
	assert.match(stderr, /removes what the running version may still use:\s+It removes the table deals/);
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
	await succeed(rehearsal, { root: second, command: `${DEPLOY} --without-smoke` });
}

/**
 * Deploys in the other order: `secret put` comes first, which creates a draft of the Worker. The container is switched on later, and then
 * off again.
 */
async function deployInOtherOrder(rehearsal: Rehearsal): Promise<void> {
	const other = await prepareOther(rehearsal);
	const { api, first } = other;
	const deploy = () => succeed(other, { root: first, command: "npm run deploy -- --env production --without-smoke" });
	const putSecret = (name: string, value: string) =>
		succeed(other, { root: first, command: `npm run -s wrangler -- secret put ${name} --env production`, input: `${value}\n` });
	try {
		await step("deploy to production after `secret put`, which creates a draft of the Worker", async () => {
			await putSecret("SECRETS_KEY", FIRST_KEY);
			await putSecret("PUBLIC_URL", PUBLIC_URL);
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

/** Rolls back to the version before the upgrade, which has the rotated key and, as the upgrade has shown, works on the new schema. */
async function rollBack(rehearsal: Rehearsal): Promise<void> {
	const { api, second: root } = rehearsal;
	const [rotated, upgraded = ""] = api.deployments.slice(-2);
	const list = await succeed(rehearsal, { root, command: "npm run -s wrangler -- deployments list --env staging" });
	assert.ok(list.stdout.includes(upgraded), list.stdout);
	const atOnce = "--durable-objects-code-update-mode immediate";
	await succeed(rehearsal, { root, command: `npm run -s wrangler -- rollback --env staging --message "Why" ${atOnce}` });
	assert.equal(api.deployments.at(-1), rotated);
	assert.deepEqual(api.codeUpdate, { mode: "immediate" });
	await succeed(rehearsal, { root, command: `npm run -s wrangler -- rollback ${upgraded} --env staging --message "Why"` });
	assert.equal(api.deployments.at(-1), upgraded);
	assert.deepEqual(api.codeUpdate, { mode: "deferred", max_delay: 30 });
}

/**
 * Finishes the rotation.
 * The sweep that encrypts secrets began when the second version started, so this command may run before the sweep has ended.
 */
async function finishRotation(rehearsal: Rehearsal): Promise<void> {
	const { api, second } = rehearsal;
	const typed: TypedCommand = {
		root: second,
		command: 'SECRETS_KEY="$NEW_KEY" npm run -s rotate-key -- --env staging --finish',
		env: { NEW_KEY: api.values.get("SECRETS_KEY") ?? "" },
	};
	let result = await run(rehearsal, typed);
	for (let tries = 1; tries < MAX_TRIES && result.stderr.includes("are still encrypted with another key"); tries += 1) {
		await delay(RETRY_MS);
		result = await run(rehearsal, typed);
	}
	assert.equal(result.code, 0, result.stderr);
	assert.deepEqual([...api.values.keys()].toSorted(), ["ADMIN_TOKEN_SHA256", "ALERT_WEBHOOK", "PUBLIC_URL", "SECRETS_KEY"]);
}
