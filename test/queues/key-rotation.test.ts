// Tests a rotation of SECRETS_KEY: values that were encrypted before are encrypted again, and work when the previous key is gone.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { reencryptTokens } from "../../src/core/competition/tasks/reencrypt-tokens.ts";
import { updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import { CALLBACK_TOKEN_PURPOSE, ENCRYPTED_COLUMNS, INVITE_CODE_PURPOSE, reencryptSecrets } from "../../src/db/encrypted-columns.ts";
import { decrypt, encryptedPrefix } from "../../src/platform/encryption.ts";
import { keyIdOf } from "../../src/platform/keyring.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { queryOne } from "../support/storage.ts";
import { inTask, queryTask } from "../support/task-object.ts";
import { subscribe } from "../support/webhooks.ts";

const OLD = testDeps().config.keys.current;
const NEW = btoa("the key after the rotation, long");
const WEBHOOKS = 450;

function withKeys(keys: Deps["config"]["keys"], change: Partial<Deps> = {}): Deps {
	return testDeps({ ...change, config: { ...testDeps().config, keys } });
}

/** Returns every encrypted value, with its purpose. */
async function readEncrypted(): Promise<{ purpose: string; encrypted: string }[]> {
	const columns = Object.values(ENCRYPTED_COLUMNS).map(async ({ table, column, purpose }) => {
		const select = `select ${column} as encrypted from ${table} where ${column} is not null`;
		const { results } = await env.DB.prepare(select).all<{ encrypted: string }>();
		return results.map(({ encrypted }) => ({ purpose, encrypted }));
	});
	return (await Promise.all(columns)).flat();
}

describe("encrypting again", () => {
	it("reaches every column and every page, and skips what the current key has encrypted", async () => {
		const poster = await registerAgent();
		const { id } = await subscribe(poster, "https://receiver.example/hook");
		await poster.call("rotateWebhookSecret", { params: { id } });
		const copy = `insert into webhooks select ${await columnsWithFreshId()} from webhooks, generated where webhooks.id = ?1`;
		await env.DB.prepare(`with recursive generated(n) as (select 1 union all select n + 1 from generated where n < ${WEBHOOKS}) ${copy}`)
			.bind(id)
			.run();
		const before = await readEncrypted();
		expect(new Set(before.map(({ purpose }) => purpose))).toEqual(new Set([ENCRYPTED_COLUMNS.webhookSecret.purpose]));
		expect(before.length).toBeGreaterThan(2 * WEBHOOKS);

		await reencryptSecrets(withKeys({ current: NEW, previous: OLD }));
		const after = await readEncrypted();
		const prefix = await encryptedPrefix(NEW);
		expect(after.filter(({ encrypted }) => !encrypted.startsWith(prefix))).toEqual([]);
		const only = { current: NEW, previous: null };
		const opened = await Promise.all(after.map(({ purpose, encrypted }) => decrypt(only, purpose, encrypted)));
		const old = { current: OLD, previous: null };
		expect(opened.toSorted()).toEqual(
			(await Promise.all(before.map(({ purpose, encrypted }) => decrypt(old, purpose, encrypted)))).toSorted(),
		);

		await reencryptSecrets(withKeys({ current: NEW, previous: OLD }));
		expect(await readEncrypted()).toEqual(after);
	});

	it("keeps a secret that was replaced in parallel, and skips one that neither key opens", async () => {
		const poster = await registerAgent();
		const [lost, kept] = [await subscribe(poster, "https://a.example/hook"), await subscribe(poster, "https://b.example/hook")];
		await env.DB.prepare("update webhooks set secret_encrypted = 'v1.00000000.AAAA' where id = ?").bind(lost.id).run();
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await Promise.all([
			reencryptSecrets(withKeys({ current: NEW, previous: OLD }, { log })),
			poster.call("rotateWebhookSecret", { params: { id: kept.id } }),
		]);
		expect(errors).toEqual([expect.objectContaining({ event: "secret_not_reencrypted", id: lost.id })]);
		await reencryptSecrets(withKeys({ current: NEW, previous: OLD }));
		const rows = await env.DB.prepare("select secret_encrypted as encrypted from webhooks where id = ?")
			.bind(kept.id)
			.all<{ encrypted: string }>();
		expect(rows.results.map(({ encrypted }) => encrypted.startsWith("v1."))).toEqual([true]);
		const opened = await decrypt(
			{ current: NEW, previous: null },
			ENCRYPTED_COLUMNS.webhookSecret.purpose,
			rows.results[0]?.encrypted ?? "",
		);
		expect(opened).toMatch(/^whsec_/);
	});

	it("reaches the callback tokens and invite codes in the objects of tasks, and their cards show it", async () => {
		const poster = await registerAgent();
		const external = { eval_mode: "external", eval_callback_url: "https://judge.example/score" };
		const { id, eval_callback_token: token } = await createDraft(poster, external);
		const { id: lost } = await createDraft(poster, external);
		const { id: invited, invite_code: code } = await createDraft(poster, { ...external, access: "invited" });
		await inTask(lost, (task) => updateTaskRow(task, { evalCallbackTokenEncrypted: "v1.00000000.AAAA" }));
		const keyOf = async (taskId: string) =>
			(await queryOne<{ key: string }>("select encrypted_with as key from task_cards where id = ?", taskId))?.key;
		expect([await keyOf(id), await keyOf(invited)]).toEqual([await keyIdOf(OLD), await keyIdOf(OLD)]);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await reencryptTokens(withKeys({ current: NEW, previous: OLD }, { log }));
		expect(errors).toEqual([expect.objectContaining({ event: "secret_not_reencrypted", id: lost })]);
		expect([await keyOf(id), await keyOf(invited), await keyOf(lost)]).toEqual([await keyIdOf(NEW), await keyIdOf(NEW), "00000000"]);
		const [codes] = await queryTask<{ encrypted: string }>(invited, "select invite_code_encrypted as encrypted from tasks");
		expect(await decrypt({ current: NEW, previous: null }, INVITE_CODE_PURPOSE, codes?.encrypted ?? "")).toBe(code);
		const [row] = await queryTask<{ encrypted: string }>(id, "select eval_callback_token_encrypted as encrypted from tasks");
		expect(await decrypt({ current: NEW, previous: null }, CALLBACK_TOKEN_PURPOSE, row?.encrypted ?? "")).toBe(token);
		await reencryptTokens(withKeys({ current: NEW, previous: OLD }, { log }));
		expect(await queryTask(id, "select eval_callback_token_encrypted as encrypted from tasks")).toEqual([row]);
	});

	it("does nothing between rotations", async () => {
		const deps = withKeys({ current: NEW, previous: null });
		await reencryptSecrets(deps);
		await reencryptTokens(deps);
		expect(deps.db.use.calls).toBe(0);
	});
});

/** Returns all columns of a webhook, as an insert selects them for a copy. */
async function columnsWithFreshId(): Promise<string> {
	const { results } = await env.DB.prepare("select name from pragma_table_info('webhooks')").all<{ name: string }>();
	return results.map(({ name }) => (name === "id" ? "webhooks.id || '-' || n" : `webhooks.${name}`)).join(", ");
}
