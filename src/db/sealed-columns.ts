// This file lists every column of D1 with a sealed secret, so that a rotation of SECRETS_KEY reaches all of them.
import { sql } from "drizzle-orm";
import * as z from "zod";
import { describeError } from "../platform/log.ts";
import { reseal, sealedPrefix } from "../platform/sealed.ts";
import type { Deps } from "../ports/deps.ts";
import { commit } from "./commit.ts";

interface SealedColumn {
	readonly table: string;
	readonly column: string;
	/** The sealing key is derived for this use. */
	readonly purpose: string;
}

const WEBHOOK_SECRET = "webhook-secret";

/** The key that seals callback tokens in the objects of tasks is derived for this use. */
export const CALLBACK_TOKEN_PURPOSE = "eval-callback-token";

/** The key that seals invite codes in the objects of tasks is derived for this use. */
export const INVITE_CODE_PURPOSE = "invite-code";

export const SEALED_COLUMNS = {
	webhookSecret: { table: "webhooks", column: "secret_sealed", purpose: WEBHOOK_SECRET },
	previousWebhookSecret: { table: "webhooks", column: "previous_secret_sealed", purpose: WEBHOOK_SECRET },
} as const satisfies Record<string, SealedColumn>;

const PAGE = 200;
const MAX_PAGES = 20;

const page = z.array(z.object({ id: z.string(), sealed: z.string() }));

/**
 * Seals values of the previous key with the current one, a few thousand per call. It does nothing without a previous key, so it costs
 * nothing between rotations.
 */
export async function resealSecrets(deps: Deps): Promise<void> {
	if (deps.config.keys.previous === null) return;
	for (const column of Object.values(SEALED_COLUMNS)) await resealColumn(deps, column);
}

async function resealColumn(deps: Deps, column: SealedColumn): Promise<void> {
	const prefix = await sealedPrefix(deps.config.keys.current);
	let after = "";
	for (let read = 0; read < MAX_PAGES; read += 1) {
		const rows = page.parse(await deps.db.query.all(selectOld(column, { prefix, after })));
		const last = rows.at(-1);
		if (last === undefined) return;
		const changes = await Promise.all(rows.map(({ id, sealed }) => resealOne(deps, column, { id, sealed })));
		await commit(deps.db, [
			deps.db.statement(
				replaceSealed(
					column,
					changes.filter((change) => change !== null),
				),
			),
		]);
		after = last.id;
	}
}

function selectOld({ table, column }: SealedColumn, { prefix, after }: { prefix: string; after: string }) {
	const name = sql.identifier(column);
	return sql`
		select id, ${name} as sealed from ${sql.identifier(table)}
		where id > ${after} and ${name} is not null and substr(${name}, 1, ${prefix.length}) <> ${prefix}
		order by id limit ${PAGE}`;
}

/** Replaces sealed values. One that another request has replaced in the meantime stays as it is. */
function replaceSealed({ table, column }: SealedColumn, changes: readonly { id: string; from: string; to: string }[]) {
	const [target, name] = [sql.identifier(table), sql.identifier(column)];
	return sql`
		update ${target} set ${name} = change.value->>'to' from json_each(${JSON.stringify(changes)}) as change
		where ${target}.id = change.value->>'id' and ${target}.${name} = change.value->>'from'`;
}

/** Returns null for a value that neither key opens. It was sealed before the previous key, and only replacing it helps. */
async function resealOne(deps: Deps, { table, column, purpose }: SealedColumn, { id, sealed }: { id: string; sealed: string }) {
	try {
		const to = await reseal(deps.config.keys, purpose, sealed);
		return to === null ? null : { id, from: sealed, to };
	} catch (error) {
		deps.log.error("secret_not_resealed", { table, column, id, ...describeError(error) });
		return null;
	}
}
