// Lists the columns of D1 that contain encrypted secrets, and encrypts them again after a rotation of SECRETS_KEY.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { encryptedPrefix, reencrypt } from "../platform/encryption.ts";
import { describeError } from "../platform/log.ts";
import type { Deps } from "../ports/deps.ts";
import { commit } from "./commit.ts";

interface EncryptedColumn {
	readonly table: string;
	readonly column: string;
	/** The purpose with which the column's key is derived from `SECRETS_KEY`. */
	readonly purpose: string;
}

const WEBHOOK_SECRET = "webhook-secret";

/** The purpose of the key that encrypts callback tokens in Task objects. */
export const CALLBACK_TOKEN_PURPOSE = "eval-callback-token";

/** The purpose of the key that encrypts invite codes in Task objects. */
export const INVITE_CODE_PURPOSE = "invite-code";

export const ENCRYPTED_COLUMNS = {
	webhookSecret: { table: "webhooks", column: "secret_encrypted", purpose: WEBHOOK_SECRET },
	previousWebhookSecret: { table: "webhooks", column: "previous_secret_encrypted", purpose: WEBHOOK_SECRET },
} as const satisfies Record<string, EncryptedColumn>;

const PAGE = 200;
const MAX_PAGES = 20;

const page = z.array(z.object({ id: z.string(), encrypted: z.string() }));

/**
 * Decrypts values that were encrypted with the previous key, and encrypts them with the current one. Handles at most 4,000 values per
 * column and call. Does nothing if there is no previous key.
 */
export async function reencryptSecrets(deps: Deps): Promise<void> {
	if (deps.config.keys.previous === null) return;
	for (const column of Object.values(ENCRYPTED_COLUMNS)) await reencryptColumn(deps, column);
}

async function reencryptColumn(deps: Deps, column: EncryptedColumn): Promise<void> {
	const prefix = await encryptedPrefix(deps.config.keys.current);
	let after = "";
	for (let read = 0; read < MAX_PAGES; read += 1) {
		const rows = page.parse(await deps.db.query.all(selectOld(column, { prefix, after })));
		const last = rows.at(-1);
		if (last === undefined) return;
		const changes = await Promise.all(rows.map(({ id, encrypted }) => reencryptOne(deps, column, { id, encrypted })));
		await commit(deps.db, [
			deps.db.statement(
				replaceEncrypted(
					column,
					changes.filter((change) => change !== null),
				),
			),
		]);
		after = last.id;
	}
}

function selectOld({ table, column }: EncryptedColumn, { prefix, after }: { prefix: string; after: string }) {
	const name = sql.identifier(column);
	return sql`
		select id, ${name} as encrypted from ${sql.identifier(table)}
		where id > ${after} and ${name} is not null and substr(${name}, 1, ${prefix.length}) <> ${prefix}
		order by id limit ${PAGE}`;
}

/** Replaces encrypted values, except those that another request has replaced in the meantime. */
function replaceEncrypted({ table, column }: EncryptedColumn, changes: readonly { id: string; from: string; to: string }[]) {
	const [target, name] = [sql.identifier(table), sql.identifier(column)];
	return sql`
		update ${target} set ${name} = change.value->>'to' from json_each(${JSON.stringify(changes)}) as change
		where ${target}.id = change.value->>'id' and ${target}.${name} = change.value->>'from'`;
}

/** Returns null, after logging an error, if neither key can decrypt the value. An older key encrypted it, so someone must replace it. */
async function reencryptOne(deps: Deps, { table, column, purpose }: EncryptedColumn, { id, encrypted }: { id: string; encrypted: string }) {
	try {
		const to = await reencrypt(deps.config.keys, purpose, encrypted);
		return to === null ? null : { id, from: encrypted, to };
	} catch (error) {
		deps.log.error("secret_not_reencrypted", { table, column, id, ...describeError(error) });
		return null;
	}
}
