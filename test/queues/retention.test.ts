// Tests sweeps that delete old rows: one run each minute must delete as much as a minute adds.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { deleteExpiredRows } from "../../src/db/expired-rows.ts";
import { testDeps } from "../support/deps.ts";
import { count } from "../support/storage.ts";

const REGISTRATIONS_A_DAY = 1_000_000;
const REGISTRATIONS_A_MINUTE = Math.ceil(REGISTRATIONS_A_DAY / (24 * 60));
/** All sweeps of an invocation share 1,000 calls. */
const MAX_CALLS = 40;

it("one run deletes what two minutes add on a day with a million registrations", async () => {
	await env.DB.prepare(
		`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
		insert into used_challenges (nonce, expires_at) select i, i from n`,
	)
		.bind(2 * REGISTRATIONS_A_MINUTE)
		.run();
	const forget = async () => {
		const { db, clock } = testDeps();
		await deleteExpiredRows(db, "used_challenges", clock.now());
		return db.use.calls;
	};
	expect(await forget()).toBeLessThanOrEqual(MAX_CALLS);
	expect(await forget()).toBe(1);
	expect(await count("select count(*) from used_challenges")).toBe(0);
});
