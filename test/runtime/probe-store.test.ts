// The probes of models are in D1: one caller probes at a time, and what it adds is there for all.
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { ProbeKey, ProbeTally } from "../../src/core/judging/engine/probe-record.ts";
import { createProbeStore } from "../../src/core/judging/engine/store.ts";
import { openDatabase } from "../../src/db/client.ts";

const store = createProbeStore(openDatabase(env.DB, "first-primary"));
const keyOf = (model: string): ProbeKey => ({ model, role: "judge", promptVersion: "test-1" });
const tally = (claimed: number): ProbeTally => ({
	claimed,
	real: 0,
	unread: 0,
	honest: { asked: 6, right: 3 },
	dishonest: { asked: 6, right: 3 },
});

it("lets one of many callers probe, and the next one when it has ended or its time is over", async () => {
	const key = keyOf("many");
	const claims = await Promise.all(Array.from({ length: 10 }, () => store.claim(key, { now: 1_000, until: 2_000 })));
	expect(claims.filter(Boolean)).toHaveLength(1);
	expect(await store.claim(key, { now: 1_999, until: 3_000 })).toBe(false);
	expect(await store.claim(key, { now: 2_000, until: 3_000 })).toBe(true);
	await store.add(key, { tallies: [tally(1)], begun: {}, now: 2_500 });
	expect(await store.claim(key, { now: 2_501, until: 3_500 })).toBe(true);
});

it("keeps the last five tallies in their order, also of callers that add at once", async () => {
	const key = keyOf("adding");
	expect(await store.read(key)).toBeNull();
	await store.claim(key, { now: 0, until: 1 });
	await store.add(key, { tallies: [tally(1), tally(2), tally(3)], begun: {}, now: 10 });
	expect(await store.add(key, { tallies: [tally(4), tally(5), tally(6)], begun: {}, now: 20 })).toEqual({
		tallies: [2, 3, 4, 5, 6].map(tally),
		begun: {},
		probedAt: 20,
	});
	await Promise.all([7, 8, 9].map((claimed) => store.add(key, { tallies: [tally(claimed)], begun: {}, now: 30 })));
	const claimed = (await store.read(key))?.tallies.map((one) => one.claimed);
	expect(claimed?.slice(0, 2)).toEqual([5, 6]);
	expect(claimed?.slice(2).toSorted()).toEqual([7, 8, 9]);
});

it("keeps the answers of a probe that has begun until the next caller adds its own", async () => {
	const key = keyOf("begun");
	const begun = { "0/honest": { isYes: true, isReal: true }, "0/dishonest": { isYes: null, isReal: false } };
	await store.add(key, { tallies: [], begun, now: 10 });
	expect(await store.read(key)).toEqual({ tallies: [], begun, probedAt: 10 });
	expect(await store.add(key, { tallies: [tally(1)], begun: {}, now: 20 })).toEqual({ tallies: [tally(1)], begun: {}, probedAt: 20 });
});
