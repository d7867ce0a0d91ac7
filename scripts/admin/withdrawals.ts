// After the database was restored to an earlier time, applies withdrawals again, such as revocations, suspensions and erasures.
// `save-withdrawals` writes the audit log, the revocations and the receipt keys to a file, which a restore cannot touch.
// `replay-withdrawals` applies them to the restored database.
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { API_KEY_TIERS } from "../../src/domain/actor.ts";
import { CommandError } from "../support/command.ts";
import type { AdminCommand, DatabaseTarget } from "./command.ts";
import { queryDatabase } from "./query-database.ts";
import type { AdminRequest } from "./verbs.ts";

const id = z.uuid().toLowerCase();
const time = z.int().min(0);

const act = z.object({
	...{ id, at: time, actor: z.string(), action: z.string(), target: z.string() },
	...{ reason: z.string(), before: z.string(), after: z.string() },
});
const revoked = z.object({ id, at: time });
const deleted = z.object({ id });
const base64url = z.string().regex(/^[\w-]{43}$/);
/** A receipt key. Verifiers rely on the time from which it signs, so a restore must not change that time. */
const receiptKey = z.object({ id: base64url, x: base64url, at: time });
type Act = z.output<typeof act>;

const record = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("saved"), at: time, since: time }),
	z.object({ kind: z.literal("act"), ...act.shape }),
	z.object({ kind: z.literal("key"), ...revoked.shape }),
	z.object({ kind: z.literal("token"), ...revoked.shape }),
	z.object({ kind: z.literal("webhook"), ...deleted.shape }),
	z.object({ kind: z.literal("receipt_key"), ...receiptKey.shape }),
]);
type Entry = z.output<typeof record>;

/** D1 rejects statements of more than 100,000 bytes. */
const ROWS_PER_STATEMENT = 500;
const MAX_STATEMENT_CHARACTERS = 60_000;
const PAGE = 5_000;

export const saveWithdrawals: AdminCommand = {
	usage: "[moment]",
	summary:
		"Prints the audit log, the keys, operator tokens and webhooks that were withdrawn since a moment, and the public keys of receipts, for replay-withdrawals. Save them before you restore the database.",
	async run(args, { database }) {
		const since = readMoment(args);
		const saved = { kind: "saved", at: Date.now(), since } as const;
		const acts = await readAll(act, { table: "audit_log", condition: `at >= ${since}` }, database);
		const columns = "id, revoked_at AS at";
		const condition = `revoked_at >= ${since}`;
		const keys = await readAll(revoked, { table: "api_keys", columns, condition }, database);
		const tokens = await readAll(revoked, { table: "operator_tokens", columns, condition }, database);
		const webhooks = await readAll(deleted, { table: "webhooks", columns: "id", condition: "inactive_reason = 'deleted'" }, database);
		const receiptKeys = await readAll(
			receiptKey,
			{ table: "receipt_keys", columns: "id, x, created_at AS at", condition: "true" },
			database,
		);
		const entries: Entry[] = [
			saved,
			...acts.map((row) => ({ kind: "act" as const, ...row })),
			...keys.map((row) => ({ kind: "key" as const, ...row })),
			...tokens.map((row) => ({ kind: "token" as const, ...row })),
			...webhooks.map((row) => ({ kind: "webhook" as const, ...row })),
			...receiptKeys.map((row) => ({ kind: "receipt_key" as const, ...row })),
		];
		return entries.map((entry) => JSON.stringify(entry)).join("\n");
	},
};

export const replayWithdrawals: AdminCommand = {
	usage: "<file>",
	summary: "Applies the result of save-withdrawals to a restored database: revocations, suspensions, erasures, tiers. Safe to repeat.",
	async run(args, { database, send }) {
		const [file] = args;
		if (file === undefined || args.length > 1) throw new CommandError(`replay-withdrawals takes one argument: ${replayWithdrawals.usage}`);
		const entries = await readEntries(file);
		const saved = entries.find((entry) => entry.kind === "saved");
		if (saved === undefined) throw new CommandError(`${file} is incomplete, because it does not say when it was saved.`);
		const acts = entries.filter((entry) => entry.kind === "act").toSorted(compareActs);
		// Credentials come first, because a thief may be using them now.
		const keys = await revoke("api_keys", entriesOf(entries, "key"), database);
		const tokens = await revoke("operator_tokens", entriesOf(entries, "token"), database);
		const isOld = `created_at <= ${saved.at}`;
		await countChanges(`${noteEnds(`SELECT hash AS id FROM sessions WHERE ${isOld}`)} RETURNING 1 AS changed`, database);
		const sessions = await countChanges(`DELETE FROM sessions WHERE ${isOld} RETURNING 1 AS changed`, database);
		const webhooks = await deleteWebhooks(entriesOf(entries, "webhook"), database);
		const receiptKeys = await listReceiptKeys(entriesOf(entries, "receipt_key"), database);
		const logged = await addToLog(acts, database);
		const tiers = await setTiers(acts, database);
		const { requests, unknown } = await planStandings(acts, database);
		const first = chain(requests);
		if (first !== null) await send(first);
		return [
			`Revoked ${keys} keys and ${tokens} operator tokens, ended ${sessions} sessions, stopped ${webhooks} webhooks.`,
			`Put ${logged} entries back into the audit log and set ${tiers} tiers.`,
			`Listed ${receiptKeys} keys of receipts since their first use.`,
			`Suspended, restored or erased ${requests.length} agents${unknown === 0 ? "" : `; ${unknown} agents of the log are not in this database`}.`,
		].join("\n");
	},
};

function readMoment([moment, ...others]: readonly string[]): number {
	if (moment === undefined) return 0;
	const since = Date.parse(moment);
	if (others.length === 0 && Number.isFinite(since)) return Math.max(0, since);
	throw new CommandError("save-withdrawals takes a moment, such as 2026-11-20T12:00:00Z, or nothing.");
}

interface Source {
	readonly table: string;
	/** By default, all columns. */
	readonly columns?: string;
	readonly condition: string;
}

async function readAll<Row extends { readonly id: string }>(
	row: z.ZodType<Row>,
	{ table, columns = "*", condition }: Source,
	database: DatabaseTarget,
): Promise<Row[]> {
	const rows: Row[] = [];
	for (;;) {
		const after = rows.at(-1)?.id ?? "";
		const sql = `SELECT ${columns} FROM ${table} WHERE id > '${after}' AND ${condition} ORDER BY id LIMIT ${PAGE}`;
		const page = await queryDatabase({ sql, row }, database);
		rows.push(...page);
		if (page.length < PAGE) return rows;
	}
}

async function readEntries(file: string): Promise<Entry[]> {
	const text = await readFile(file, "utf8").catch((error: unknown) => {
		throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	});
	return text.split("\n").flatMap((line, index) => {
		if (line.trim() === "") return [];
		try {
			return [record.parse(JSON.parse(line))];
		} catch {
			throw new CommandError(`Line ${index + 1} of ${file} is not from save-withdrawals. Nothing changed.`);
		}
	});
}

function entriesOf<Kind extends Entry["kind"]>(entries: readonly Entry[], kind: Kind) {
	return entries.filter((entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind);
}

/** Orders acts by time. Their ids begin with the time, so they also order acts of the same millisecond. */
function compareActs(a: Act, b: Act): number {
	return a.at - b.at || (a.id < b.id ? -1 : 1);
}

/** Runs a statement that reads the rows as `rows(value)`, in several parts if there are many rows. Returns the number of changed rows. */
async function changeRows(rows: readonly unknown[], statement: string, database: DatabaseTarget): Promise<number> {
	let changed = 0;
	let part: string[] = [];
	const flush = async () => {
		if (part.length === 0) return;
		// The JSON has no control characters, so only quotes must be escaped in SQL.
		const list = `[${part.join(",")}]`.replaceAll("'", "''");
		changed += await countChanges(`WITH rows AS (SELECT value FROM json_each('${list}')) ${statement} RETURNING 1 AS changed`, database);
		part = [];
	};
	let characters = 0;
	for (const row of rows) {
		const text = JSON.stringify(row);
		if (part.length >= ROWS_PER_STATEMENT || characters + text.length > MAX_STATEMENT_CHARACTERS) {
			await flush();
			characters = 0;
		}
		part.push(text);
		characters += text.length;
	}
	await flush();
	return changed;
}

async function countChanges(sql: string, database: DatabaseTarget): Promise<number> {
	return (await queryDatabase({ sql, row: z.unknown() }, database)).length;
}

/** Records the ends of credentials, so that open streams end. */
function noteEnds(ended: string): string {
	return `INSERT OR IGNORE INTO credential_ends (at, id) SELECT ${Date.now()}, ended.id FROM (${ended}) ended`;
}

async function revoke(table: string, rows: readonly z.output<typeof revoked>[], database: DatabaseTarget): Promise<number> {
	const at = `(SELECT json_extract(value, '$.at') FROM rows WHERE json_extract(value, '$.id') = ${table}.id)`;
	const isListed = "id IN (SELECT json_extract(value, '$.id') FROM rows)";
	await changeRows(rows, noteEnds(`SELECT id FROM ${table} WHERE revoked_at IS NULL AND ${isListed}`), database);
	return changeRows(rows, `UPDATE ${table} SET revoked_at = ${at} WHERE revoked_at IS NULL AND ${isListed}`, database);
}

function deleteWebhooks(rows: readonly z.output<typeof deleted>[], database: DatabaseTarget): Promise<number> {
	const isListed = "id IN (SELECT json_extract(value, '$.id') FROM rows)";
	const change = "UPDATE webhooks SET active = 0, inactive_reason = 'deleted'";
	return changeRows(rows, `${change} WHERE inactive_reason IS NOT 'deleted' AND ${isListed}`, database);
}

/**
 * Adds the receipt keys. A key that has signed again since the restore must get its earlier time back, so that its earlier receipts are
 * valid.
 */
function listReceiptKeys(rows: readonly z.output<typeof receiptKey>[], database: DatabaseTarget): Promise<number> {
	const values = ["id", "x", "at"].map((name) => `json_extract(value, '$.${name}')`).join(", ");
	const change = `INSERT INTO receipt_keys (id, x, created_at) SELECT ${values} FROM rows WHERE true
		ON CONFLICT (id) DO UPDATE SET created_at = excluded.created_at WHERE excluded.created_at < receipt_keys.created_at`;
	return changeRows(rows, change, database);
}

const LOG_COLUMNS = ["id", "at", "actor", "action", "target", "reason", "before", "after"] as const;

function addToLog(acts: readonly Act[], database: DatabaseTarget): Promise<number> {
	const values = LOG_COLUMNS.map((column) => `json_extract(value, '$.${column}')`).join(", ");
	const change = `INSERT OR IGNORE INTO audit_log (${LOG_COLUMNS.join(", ")}) SELECT ${values} FROM rows WHERE true`;
	return changeRows(acts, change, database);
}

const tierChange = z.object({ tier: z.enum(API_KEY_TIERS) });

function setTiers(acts: readonly Act[], database: DatabaseTarget): Promise<number> {
	const last = new Map(acts.filter(({ action }) => action === "agent.set_tier").map(({ target, after }) => [target, after]));
	const rows = [...last].map(([agentId, after]) => ({ id: agentId, tier: tierChange.parse(JSON.parse(after)).tier }));
	const tier = "(SELECT json_extract(value, '$.tier') FROM rows WHERE json_extract(value, '$.id') = agents.id)";
	const isListed = "id IN (SELECT json_extract(value, '$.id') FROM rows)";
	return changeRows(rows, `UPDATE agents SET tier = ${tier} WHERE ${isListed} AND erased_at IS NULL AND tier <> ${tier}`, database);
}

const STANDING_ACTIONS = ["agent.suspend", "agent.restore", "agent.erase"];
const standing = z.object({ id, suspended_at: time.nullable(), erased_at: time.nullable() });

/** Plans a request for each agent that restores the last state in the log. An erasure is final, even if other acts follow it. */
async function planStandings(acts: readonly Act[], database: DatabaseTarget) {
	const last = new Map<string, Act>();
	for (const one of acts.filter(({ action }) => STANDING_ACTIONS.includes(action))) {
		if (last.get(one.target)?.action !== "agent.erase") last.set(id.parse(one.target), one);
	}
	const rows: z.output<typeof standing>[] = [];
	const ids = [...last.keys()];
	for (let index = 0; index < ids.length; index += ROWS_PER_STATEMENT) {
		const list = ids.slice(index, index + ROWS_PER_STATEMENT).map((one) => `'${one}'`);
		const sql = `SELECT id, suspended_at, erased_at FROM agents WHERE id IN (${list.join(", ")})`;
		rows.push(...(await queryDatabase({ sql, row: standing }, database)));
	}
	const requests = rows.flatMap((agent) => requestFor(agent, last.get(agent.id)));
	return { requests, unknown: last.size - rows.length };
}

function requestFor(agent: z.output<typeof standing>, last: Act | undefined): AdminRequest[] {
	if (last === undefined || agent.erased_at !== null) return [];
	// Cuts between characters, because the platform rejects half of one.
	const body = { reason: [...`Repeated after a restore: ${last.reason}`].slice(0, 500).join("") };
	const path = `/api/admin/agents/${agent.id}`;
	if (last.action === "agent.erase") return [{ method: "DELETE", path: `${path}/data`, body }];
	const shouldBeSuspended = last.action === "agent.suspend";
	if (shouldBeSuspended === (agent.suspended_at !== null)) return [];
	return [{ method: "POST", path: `${path}/${shouldBeSuspended ? "suspend" : "restore"}`, body }];
}

/** Makes each request the continuation of the one before it, so that one local platform handles all of them. */
function chain(requests: readonly AdminRequest[]): AdminRequest | null {
	return requests.toReversed().reduce<AdminRequest | null>((next, request) => ({ ...request, next: () => next }), null);
}
