// A rotation of SECRETS_KEY: what was sealed before it is sealed anew, and works when the previous key is gone.
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { resealSecrets, SEALED_COLUMNS } from "../../src/db/sealed-columns.ts";
import { rotateWebhookSecret } from "../../src/features/webhooks/contract.ts";
import { sealedPrefix, unseal } from "../../src/platform/sealed.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "../support/deps.ts";
import { createDraft, registerAgent } from "../support/scenario.ts";
import { subscribe } from "../support/webhooks.ts";

const OLD = testDeps().config.keys.current;
const NEW = btoa("the key after the rotation, long");
const WEBHOOKS = 450;

function withKeys(keys: Deps["config"]["keys"], change: Partial<Deps> = {}): Deps {
	return testDeps({ ...change, config: { ...testDeps().config, keys } });
}

/** Every sealed value, with what it was sealed for. */
async function readSealed(): Promise<{ purpose: string; sealed: string }[]> {
	const columns = Object.values(SEALED_COLUMNS).map(async ({ table, column, purpose }) => {
		const select = `select ${column} as sealed from ${table} where ${column} is not null`;
		const { results } = await env.DB.prepare(select).all<{ sealed: string }>();
		return results.map(({ sealed }) => ({ purpose, sealed }));
	});
	return (await Promise.all(columns)).flat();
}

describe("sealing anew", () => {
	it("reaches every column and every page, and leaves what the current key has sealed", async () => {
		const poster = await registerAgent();
		const { id } = await subscribe(poster, "https://receiver.example/hook");
		await poster.call(rotateWebhookSecret, { params: { id } });
		await createDraft(poster, { eval_mode: "external", eval_callback_url: "https://judge.example/score" });
		const copy = `insert into webhooks select ${await columnsWithFreshId()} from webhooks, generated where webhooks.id = ?1`;
		await env.DB.prepare(`with recursive generated(n) as (select 1 union all select n + 1 from generated where n < ${WEBHOOKS}) ${copy}`)
			.bind(id)
			.run();
		const before = await readSealed();
		expect(new Set(before.map(({ purpose }) => purpose)).size).toBe(2);
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

	it("keeps a secret that was replaced at the same time, and skips one that neither key opens", async () => {
		const poster = await registerAgent();
		const [lost, kept] = [await subscribe(poster, "https://a.example/hook"), await subscribe(poster, "https://b.example/hook")];
		await env.DB.prepare("update webhooks set secret_sealed = 'v1.00000000.AAAA' where id = ?").bind(lost.id).run();
		const errors: unknown[] = [];
		const log: Deps["log"] = { info: () => {}, error: (event, facts) => errors.push({ event, ...facts }) };
		await Promise.all([
			resealSecrets(withKeys({ current: NEW, previous: OLD }, { log })),
			poster.call(rotateWebhookSecret, { params: { id: kept.id } }),
		]);
		expect(errors).toEqual([expect.objectContaining({ event: "secret_not_resealed", id: lost.id })]);
		await resealSecrets(withKeys({ current: NEW, previous: OLD }));
		const rows = await env.DB.prepare("select secret_sealed as sealed from webhooks where id = ?").bind(kept.id).all<{ sealed: string }>();
		expect(rows.results.map(({ sealed }) => sealed.startsWith("v1."))).toEqual([true]);
		const opened = await unseal({ current: NEW, previous: null }, SEALED_COLUMNS.webhookSecret.purpose, rows.results[0]?.sealed ?? "");
		expect(opened).toMatch(/^whsec_/);
	});

	it("does nothing between rotations", async () => {
		const deps = withKeys({ current: NEW, previous: null });
		await resealSecrets(deps);
		expect(deps.db.use.calls).toBe(0);
	});
});

/** All columns of a webhook, as an insert selects them for a copy. */
async function columnsWithFreshId(): Promise<string> {
	const { results } = await env.DB.prepare("select name from pragma_table_info('webhooks')").all<{ name: string }>();
	return results.map(({ name }) => (name === "id" ? "webhooks.id || '-' || n" : `webhooks.${name}`)).join(", ");
}
