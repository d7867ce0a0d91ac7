// Sweeps that delete what is old: one run each minute must delete as much as a minute brings.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deleteExpiredRows } from "../../src/db/expired-rows.ts";
import { forgetOldDeliveries } from "../../src/features/webhooks/service.ts";
import type { Deps } from "../../src/ports/deps.ts";
import { testDeps } from "../support/deps.ts";
import { registerAgent } from "../support/scenario.ts";
import { count } from "../support/storage.ts";
import { subscribe } from "../support/webhooks.ts";

const SUBMISSIONS_A_DAY = 1_000_000;
const SUBMISSIONS_A_MINUTE = Math.ceil(SUBMISSIONS_A_DAY / (24 * 60));
/** A submission has three events, and each of them two receivers: its agent and the task's owner. */
const EVENTS_A_MINUTE = 3 * SUBMISSIONS_A_MINUTE;
const DELIVERIES_A_MINUTE = 2 * EVENTS_A_MINUTE;
/** What all sweeps of an invocation share is 1,000. */
const MAX_CALLS = 40;

const NUMBERS = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?1)";
const OLD_ID = "printf('01900000-0000-7000-8000-%012x', i)";

it("one run forgets what came in two minutes of a day with a million submissions", async () => {
	const { id: webhookId } = await subscribe(await registerAgent(), "https://receiver.example.com/");
	const [deliveries, events, responses] = [2 * DELIVERIES_A_MINUTE, 2 * EVENTS_A_MINUTE, 2 * SUBMISSIONS_A_MINUTE];
	const insert = (text: string, ...values: unknown[]) => env.DB.prepare(`${NUMBERS} ${text}`).bind(...values);
	await env.DB.batch([
		// The subscription was tested a moment ago.
		env.DB.prepare("delete from webhook_payloads"),
		insert(
			`insert into webhook_deliveries (id, webhook_id, event_id, status, due_at, created_at) select ${OLD_ID}, ?2, ${OLD_ID}, 'delivered', 1, 1 from n`,
			deliveries,
			webhookId,
		),
		insert(`insert into webhook_payloads (event_id, event_type, body) select ${OLD_ID}, 'task.opened', '{}' from n`, events),
		insert(
			`insert into idempotency_keys (agent_id, task_id, key, request_hash, response, expires_at) select 'agent', 'task', i, '', '{}', i from n`,
			responses,
		),
	]);
	const forgetResponses = ({ db, clock }: Deps) => deleteExpiredRows(db, "idempotency_keys", clock.now());
	for (const forget of [forgetOldDeliveries, forgetResponses]) {
		const deps = testDeps();
		await forget(deps);
		expect(deps.db.use.calls).toBeLessThanOrEqual(MAX_CALLS);
		const idle = testDeps();
		await forget(idle);
		expect(idle.db.use.calls).toBe(1);
	}
	for (const table of ["webhook_deliveries", "webhook_payloads", "idempotency_keys"]) {
		expect(await count(`select count(*) from ${table}`), table).toBe(0);
	}
});
