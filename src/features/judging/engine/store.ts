// Stores the probes of models in D1, where all isolates see them. Statements decide who probes, and add to what is there at that moment.
import { and, eq, lte, sql } from "drizzle-orm";
import * as z from "zod";
import { modelProbes } from "../../../db/schema/probes.ts";
import type { Database } from "../../../ports/database.ts";
import { COUNTED_PROBES, type ProbeKey, type ProbeRecord, type ProbeStore } from "./probe.ts";

const answers = z.object({ asked: z.number(), right: z.number() });
const talliesSchema = z.array(z.object({ claimed: z.number(), real: z.number(), honest: answers, dishonest: answers }));

type Row = Pick<typeof modelProbes.$inferSelect, "tallies" | "probedAt">;

function readRow({ tallies, probedAt }: Row): ProbeRecord {
	return { tallies: talliesSchema.catch([]).parse(JSON.parse(tallies)), probedAt };
}

function isRowOf({ model, role, promptVersion }: ProbeKey) {
	return and(eq(modelProbes.model, model), eq(modelProbes.role, role), eq(modelProbes.promptVersion, promptVersion));
}

/** A new tally comes behind all that are stored, which are far fewer than this. */
const BEHIND = 1_000;

export function createProbeStore({ query }: Pick<Database, "query">): ProbeStore {
	return {
		async read(key) {
			const [row] = await query.select().from(modelProbes).where(isRowOf(key)).limit(1);
			return row === undefined ? null : readRow(row);
		},
		async claim(key, { now, until }) {
			const claimed = await query
				.insert(modelProbes)
				.values({ ...key, tallies: "[]", probedAt: 0, claimedUntil: until })
				.onConflictDoUpdate({
					target: [modelProbes.model, modelProbes.role, modelProbes.promptVersion],
					set: { claimedUntil: until },
					setWhere: lte(modelProbes.claimedUntil, now),
				})
				.returning({ model: modelProbes.model });
			return claimed.length > 0;
		},
		async add(key, { tallies, now }) {
			const all = sql`select value, key as place from json_each(${modelProbes.tallies}) union all
				select value, ${BEHIND} + key from json_each(${JSON.stringify(tallies)})`;
			const newest = sql`select value, place from (${all}) order by place desc limit ${COUNTED_PROBES}`;
			const joined = sql<string>`(select json_group_array(json(value)) from (select value from (${newest}) order by place))`;
			const [row] = await query
				.update(modelProbes)
				.set({ tallies: joined, probedAt: now, claimedUntil: 0 })
				.where(isRowOf(key))
				.returning({ tallies: modelProbes.tallies, probedAt: modelProbes.probedAt });
			return row === undefined ? { tallies, probedAt: now } : readRow(row);
		},
	};
}
