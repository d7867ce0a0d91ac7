// Tests a rotation of SECRETS_KEY: values that were sealed before are sealed again, and work when the previous key is gone.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resealTokens } from "../../src/core/competition/tasks/reseal-tokens.ts";
import { updateTaskRow } from "../../src/core/competition/tasks/store.ts";
import { CALLBACK_TOKEN_PURPOSE, INVITE_CODE_PURPOSE, resealSecrets, SEALED_COLUMNS } from "../../src/db/sealed-columns.ts";
import { keyIdOf } from "../../src/platform/keyring.ts";
import { sealedPrefix, unseal } from "../../src/platform/sealed.ts";
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

/** Returns every sealed value, with its purpose. */
async function readSealed(): Promise<{ purpose: string; sealed: string }[]> {
	const columns = Object.values(SEALED_COLUMNS).map(async ({ table, column, purpose }) => {
		const select = `select ${column} as sealed from ${table} where ${column} is not null`;
		const { results } = await env.DB.prepare(select).all<{ sealed: string }>();
		return results.map(({ sealed }) => ({ purpose, sealed }));
	});
	return (await Promise.all(columns)).flat();
}

describe("sealing again", () => {
	it("reaches every column and every page, and skips what the current key has sealed", async () => {
		const poster = await registerAgent();
		const { id } = await subscribe(poster, "https://receiver.example/hook");
		await poster.call("rotateWebhookSecret", { params: { id } });
		const copy = `insert into webhooks select ${await columnsWithFreshId()} from webhooks, generated where webhooks.id = ?1`;
		await env.DB.prepare(`with recursive generated(n) as (select 1 union all select n + 1 from generated where n < ${WEBHOOKS}) ${copy}`)
			.bind(id)
			.run();
		const before = await readSealed();
		expect(new Set(before.map(({ purpose }) => purpose))).toEqual(new Set([SEALED_COLUMNS.webhookSecret.purpose]));
		expect(before.length).toBeGreaterThan(2 * WEBHOOKS);

		await resealSecrets(withKeys({ current: NEW, previous: OLD }));
		const after = await readSealed();
		const prefix = await sealedPrefix(NEW);
		expect(after.filter(({ sealed }) => !sealed.startsWith(prefix))).toEqual([]);
		const only = { current: NEW, previous: null };
		const opened = await Promise.all(after.map(({ purpose, sealed }) => unseal(only, purpose, sealed)));
		const old = { current: OLD, previous: null };
		expect(opened.toSorted()).toEqual((await Promise.all(before.map(({ purpose, sealed }) => unseal(old, purpose, sealed)))).toSorted());

		await resealSecrets(withKeys({ current: NEW, previous: OLD }));
		expect(await readSealed()).toEqual(after);
	});

	it("keeps a secret that was replaced in parallel, and skips one that neither key opens", async () => {
		const poster = await registerAgent();
		const [lost, kept] = [await subscribe(poster, "https://a.example/hook"), await subscribe(poster, "https://b.example/hook")];
		await env.DB.prepare("update webhooks set secret_sealed = 'v1.00000000.AAAA' where id = ?").bind(lost.id).run();
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await Promise.all([
			resealSecrets(withKeys({ current: NEW, previous: OLD }, { log })),
			poster.call("rotateWebhookSecret", { params: { id: kept.id } }),
		]);
		expect(errors).toEqual([expect.objectContaining({ event: "secret_not_resealed", id: lost.id })]);
		await resealSecrets(withKeys({ current: NEW, previous: OLD }));
		const rows = await env.DB.prepare("select secret_sealed as sealed from webhooks where id = ?").bind(kept.id).all<{ sealed: string }>();
		expect(rows.results.map(({ sealed }) => sealed.startsWith("v1."))).toEqual([true]);
		const opened = await unseal({ current: NEW, previous: null }, SEALED_COLUMNS.webhookSecret.purpose, rows.results[0]?.sealed ?? "");
		expect(opened).toMatch(/^whsec_/);
	});

	it("reaches the callback tokens and invite codes in the objects of tasks, and their cards show it", async () => {
		const poster = await registerAgent();
		const external = { eval_mode: "external", eval_callback_url: "https://judge.example/score" };
		const { id, eval_callback_token: token } = await createDraft(poster, external);
		const { id: lost } = await createDraft(poster, external);
		const { id: invited, invite_code: code } = await createDraft(poster, { ...external, access: "invited" });
		await inTask(lost, (task) => updateTaskRow(task, { evalCallbackTokenSealed: "v1.00000000.AAAA" }));
		const keyOf = async (taskId: string) =>
			(await queryOne<{ key: string }>("select sealed_with as key from task_cards where id = ?", taskId))?.key;
		expect([await keyOf(id), await keyOf(invited)]).toEqual([await keyIdOf(OLD), await keyIdOf(OLD)]);
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await resealTokens(withKeys({ current: NEW, previous: OLD }, { log }));
		expect(errors).toEqual([expect.objectContaining({ event: "secret_not_resealed", id: lost })]);
		expect([await keyOf(id), await keyOf(invited), await keyOf(lost)]).toEqual([await keyIdOf(NEW), await keyIdOf(NEW), "00000000"]);
		const [codes] = await queryTask<{ sealed: string }>(invited, "select invite_code_sealed as sealed from tasks");
		expect(await unseal({ current: NEW, previous: null }, INVITE_CODE_PURPOSE, codes?.sealed ?? "")).toBe(code);
		const [row] = await queryTask<{ sealed: string }>(id, "select eval_callback_token_sealed as sealed from tasks");
		expect(await unseal({ current: NEW, previous: null }, CALLBACK_TOKEN_PURPOSE, row?.sealed ?? "")).toBe(token);
		await resealTokens(withKeys({ current: NEW, previous: OLD }, { log }));
		expect(await queryTask(id, "select eval_callback_token_sealed as sealed from tasks")).toEqual([row]);
	});

	it("does nothing between rotations", async () => {
		const deps = withKeys({ current: NEW, previous: null });
		await resealSecrets(deps);
		await resealTokens(deps);
		expect(deps.db.use.calls).toBe(0);
	});
});

/** Returns all columns of a webhook, as an insert selects them for a copy. */
async function columnsWithFreshId(): Promise<string> {
	const { results } = await env.DB.prepare("select name from pragma_table_info('webhooks')").all<{ name: string }>();
	return results.map(({ name }) => (name === "id" ? "webhooks.id || '-' || n" : `webhooks.${name}`)).join(", ");
}
