// Provides a dataset of Workers Analytics Engine in SQLite: the same columns, and the functions of its SQL that docs/grafana/ uses.
import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { z } from "zod";
import { createMetrics } from "../../src/compose/metrics.ts";
import type { Metrics } from "../../src/ports/deps.ts";

const COLUMNS = 20;
const NOW_SECONDS = 1_767_225_600;
/** The dataset's rows were written a minute ago. */
const WRITTEN_AT = NOW_SECONDS - 60;

interface Dataset {
	readonly metrics: Metrics;
	/** Runs a query of the dashboard or of an alert rule. */
	query(sql: string): Record<string, SQLOutputValue>[];
	clear(): void;
}

export function openDataset(): Dataset {
	const db = new DatabaseSync(":memory:");
	const numbered = (prefix: string) => Array.from({ length: COLUMNS }, (_, index) => `${prefix}${index + 1}`);
	const columns = ["timestamp", "_sample_interval", "index1", ...numbered("blob"), ...numbered("double")];
	db.exec(`CREATE TABLE bounty_platform (${columns.join(", ")})`);
	const insert = db.prepare(`INSERT INTO bounty_platform VALUES (${columns.map(() => "?").join(", ")})`);
	db.function("NOW", () => NOW_SECONDS);
	db.function("toUInt32", (value) => value);
	db.function("intDiv", (value, divisor) => Math.floor(Number(value) / Number(divisor)));
	db.aggregate("quantileExactWeighted", { start: "[]", step: addWeighted, result: findQuantile });
	const metrics = createMetrics({
		writeDataPoint({ indexes = [], blobs = [], doubles = [] } = {}) {
			const padded = <Value>(values: readonly Value[], rest: Value) => Array.from({ length: COLUMNS }, (_, at) => values[at] ?? rest);
			insert.run(WRITTEN_AT, 1, String(indexes[0]), ...padded(blobs.map(String), ""), ...padded(doubles, 0));
		},
	});
	return {
		metrics,
		query: (sql) => db.prepare(toSqlite(sql)).all(),
		clear: () => db.exec("DELETE FROM bounty_platform"),
	};
}

/** Replaces Grafana's macros, and the one form that SQLite does not parse. */
function toSqlite(sql: string): string {
	return sql
		.replaceAll("$dataset", "bounty_platform")
		.replaceAll("$interval", "60")
		.replaceAll("$timeFilter", "timestamp > NOW() - 3600")
		.replaceAll(/INTERVAL '(\d+)' SECOND/g, "$1")
		.replaceAll(/\bif\(/g, "iif(");
}

/** Each entry is level, value and weight. */
const weighted = z.array(z.tuple([z.number(), z.number(), z.number()]));

/** The state of an aggregate is text, because SQLite keeps it between rows. */
function addWeighted(state: string, level: SQLOutputValue, value: SQLOutputValue, weight: SQLOutputValue): string {
	return JSON.stringify([...weighted.parse(JSON.parse(state)), [Number(level), Number(value), Number(weight)]]);
}

/** Returns the smallest value whose rank reaches the level's share of the weight. */
function findQuantile(state: string): number | null {
	const sorted = weighted.parse(JSON.parse(state)).toSorted(([, one], [, other]) => one - other);
	const total = sorted.reduce((sum, [, , weight]) => sum + weight, 0);
	let seen = 0;
	for (const [level, value, weight] of sorted) {
		seen += weight;
		if (seen >= level * total) return value;
	}
	return null;
}
