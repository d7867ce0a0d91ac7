// Stores the probes of models in D1, where all isolates see them. Each change is one SQL statement, so parallel callers lose nothing.
import { and, eq, lte, sql } from "drizzle-orm";
import * as z from "zod";
import { modelProbes } from "../../../db/schema/probes.ts";
import type { Database } from "../../../ports/database.ts";
import { COUNTED_PROBES, type ProbeKey, type ProbeRecord, type ProbeStore } from "./probe-record.ts";

const answers = z.object({ asked: z.number(), right: z.number() });
const begunSchema = z.record(z.string(), z.object({ isYes: z.boolean().nullable(), isReal: z.boolean() }));
const talliesSchema = z.array(z.object({ claimed: z.number(), real: z.number(), unread: z.number(), honest: answers, dishonest: answers }));

type Row = Pick<typeof modelProbes.$inferSelect, "tallies" | "begun" | "probedAt">;

function readRow({ tallies, begun, probedAt }: Row): ProbeRecord {
	return {
		tallies: talliesSchema.catch([]).parse(JSON.parse(tallies)),
		begun: begunSchema.catch({}).parse(JSON.parse(begun)),
		probedAt,
	};
}

function isRowOf({ model, role, promptVersion }: ProbeKey) {
	return and(eq(modelProbes.model, model), eq(modelProbes.role, role), eq(modelProbes.promptVersion, promptVersion));
}

/** Larger than the number of stored tallies, so that a new tally is sorted last. */
const BEHIND = 1_000;

const KEY = [modelProbes.model, modelProbes.role, modelProbes.promptVersion];

export function createProbeStore({ query }: Pick<Database, "query">): ProbeStore {
	return {
		async read(key) {
			const [row] = await query.select().from(modelProbes).where(isRowOf(key)).limit(1);
			return row === undefined ? null : readRow(row);
		},
		async claim(key, { now, until }) {
			const claimed = await query
				.insert(modelProbes)
				.values({ ...key, tallies: "[]", begun: "{}", probedAt: 0, claimedUntil: until })
				.onConflictDoUpdate({
					target: KEY,
					set: { claimedUntil: until },
					setWhere: lte(modelProbes.claimedUntil, now),
				})
				.returning({ model: modelProbes.model });
			return claimed.length > 0;
		},
		async add(key, { tallies, begun, now }) {
			const added = JSON.stringify(tallies);
			const all = sql`select value, key as place from json_each(${modelProbes.tallies}) union all
				select value, ${BEHIND} + key from json_each(${added})`;
			const newest = sql`select value, place from (${all}) order by place desc limit ${COUNTED_PROBES}`;
			const joined = sql<string>`(select json_group_array(json(value)) from (select value from (${newest}) order by place))`;
			const change = { begun: JSON.stringify(begun), probedAt: now, claimedUntil: 0 };
			const [row] = await query
				.insert(modelProbes)
				.values({ ...key, tallies: added, ...change })
				.onConflictDoUpdate({ target: KEY, set: { tallies: joined, ...change } })
				.returning({ tallies: modelProbes.tallies, begun: modelProbes.begun, probedAt: modelProbes.probedAt });
			return row === undefined ? { tallies, begun, probedAt: now } : readRow(row);
		},
	};
}
