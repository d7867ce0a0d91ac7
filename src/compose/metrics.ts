import { DATA_POINTS } from "../domain/data-points.ts";
import type { Metrics } from "../ports/deps.ts";

const silent: Metrics = { write: () => {} };

/** Writes data points into a dataset of Workers Analytics Engine. Without a dataset, nothing is written. */
export function createMetrics(dataset: AnalyticsEngineDataset | undefined): Metrics {
	if (dataset === undefined) return silent;
	return {
		write(kind, facts) {
			const values: Readonly<Record<string, string | number>> = facts;
			const { texts, numbers } = DATA_POINTS[kind];
			dataset.writeDataPoint({
				// Analytics Engine samples each index separately. With the kind as the index, no point of a rare kind is lost.
				indexes: [kind],
				blobs: [kind, ...texts.map((name) => String(values[name] ?? ""))],
				doubles: numbers.map((name) => Number(values[name] ?? 0)),
			});
		},
	};
}
