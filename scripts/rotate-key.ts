// npm run rotate-key gives a deployment a new SECRETS_KEY and keeps the current one as SECRETS_KEY_PREVIOUS; --finish ends the rotation.
// It runs with --js-base-64 because src/platform/encryption.ts uses a function that Workers have and Node 24 has only behind this flag.
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import { z } from "zod";
import { ENCRYPTED_COLUMNS } from "../src/db/encrypted-columns.ts";
import { fromBase64, randomBytes } from "../src/platform/crypto.ts";
import { encryptedPrefix } from "../src/platform/encryption.ts";
import { keyIdOf } from "../src/platform/keyring.ts";
import { queryDatabase } from "./admin/query-database.ts";
import { openAccount } from "./deploy/cloudflare.ts";
import { environmentArguments } from "./deploy/options.ts";
import { readDeployment } from "./deploy/preparation.ts";
import { listSecrets } from "./deploy/secrets.ts";
import { CommandError, runCommand } from "./support/command.ts";
import { askWrangler } from "./support/wrangler.ts";

const KEY_BYTES = 32;
const [CURRENT, PREVIOUS] = ["SECRETS_KEY", "SECRETS_KEY_PREVIOUS"];

await runCommand(async () => {
	const { values } = parseArgs({ options: { env: { type: "string", short: "e" }, finish: { type: "boolean" } } });
	const environment = values.env ?? null;
	const key = await readKey();
	const { worker } = readDeployment(environment);
	const secrets = new Set(await listSecrets(worker, await openAccount()));
	if (!secrets.has(CURRENT)) throw new CommandError(`This Worker has no secret ${CURRENT}, so there is nothing to rotate.`);
	const deployment = { environment, hasPrevious: secrets.has(PREVIOUS), others: await countEncryptedWithOthers(key, environment) };
	await (values.finish === true ? finishRotation(deployment) : rotate(key, deployment));
});

interface Deployment {
	/** Null for the top level of wrangler.toml. */
	readonly environment: string | null;
	readonly hasPrevious: boolean;
	/** The number of values in the database that are encrypted with a key other than the current one. */
	readonly others: number;
}

async function rotate(key: string, { environment, hasPrevious, others }: Deployment): Promise<void> {
	if (hasPrevious) throw new CommandError(`${PREVIOUS} is set: a rotation is under way. End it first with --finish.`);
	if (others > 0) {
		throw new CommandError(
			`Nothing changed. ${others} values in the database are encrypted with another key than the one you gave. Give the current ${CURRENT}.`,
		);
	}
	const next = randomBytes(KEY_BYTES).toBase64();
	console.error(`Setting ${CURRENT} and ${PREVIOUS}. The new ${CURRENT} is shown once, on standard output. Store it before you continue.`);
	// The key is printed first, so that it is not lost if the connection breaks after Cloudflare has stored it.
	console.log(next);
	await setSecrets({ [CURRENT]: next, [PREVIOUS]: key }, environment);
	console.error(
		"Done. The sweeps now encrypt the stored values with the new key. After a day, run the command with --finish and the new key.",
	);
}

async function finishRotation({ environment, hasPrevious, others }: Deployment): Promise<void> {
	if (others > 0) {
		throw new CommandError(
			`Nothing changed. ${others} values are still encrypted with another key than the one you gave. The sweeps encrypt a few thousand every minute. If the number does not shrink, the key is not the current ${CURRENT}.`,
		);
	}
	if (!hasPrevious) {
		console.log(`${PREVIOUS} is not set. Nothing to do.`);
		return;
	}
	await setSecrets({ [PREVIOUS]: null }, environment);
	console.log(`${PREVIOUS} is deleted. The rotation has ended.`);
}

/** Reads the current key, from the environment or from standard input. */
async function readKey(): Promise<string> {
	const key = (process.env[CURRENT] || (process.stdin.isTTY ? "" : await text(process.stdin))).trim();
	if (isKey(key)) return key;
	throw new CommandError(
		`Give the current key in the environment variable ${CURRENT}, or on standard input: base64 of at least ${KEY_BYTES} bytes.`,
	);
}

function isKey(key: string): boolean {
	try {
		return fromBase64(key).length >= KEY_BYTES;
	} catch {
		return false;
	}
}

async function countEncryptedWithOthers(key: string, environment: string | null): Promise<number> {
	const [prefix, keyId] = [await encryptedPrefix(key), await keyIdOf(key)];
	// The prefix and the key's id consist of hex digits, letters and dots, so neither contains a quote.
	const counts = Object.values(ENCRYPTED_COLUMNS).map(
		({ table, column }) =>
			`SELECT count(*) AS encrypted FROM ${table} WHERE ${column} IS NOT NULL AND substr(${column}, 1, ${prefix.length}) <> '${prefix}'`,
	);
	// Callback tokens are in the objects of tasks. A task's card says which key has encrypted the task's token.
	counts.push(`SELECT count(*) AS encrypted FROM task_cards WHERE encrypted_with IS NOT NULL AND encrypted_with <> '${keyId}'`);
	const query = { sql: counts.join(" UNION ALL "), row: z.object({ encrypted: z.int() }) };
	const rows = await queryDatabase(query, { environment });
	return rows.reduce((sum, { encrypted }) => sum + encrypted, 0);
}

/** Sets all given secrets in one version of the Worker. Null deletes a secret. */
async function setSecrets(secrets: Readonly<Record<string, string | null>>, environment: string | null): Promise<void> {
	const { ok, output } = await askWrangler({
		args: ["secret", "bulk", ...environmentArguments(environment)],
		input: JSON.stringify(secrets),
	});
	if (!ok)
		throw new CommandError(
			`The secrets could not be set. If the connection broke, look at them with npm run -s wrangler -- secret list.\n\n${output}`,
		);
}
