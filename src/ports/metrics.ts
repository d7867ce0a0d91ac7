import type { DataPoint, DataPointKind } from "../domain/data-points.ts";

/** Metrics count what happens, in addition to the log. Writing takes no time and never fails. */
export interface Metrics {
	write<Kind extends DataPointKind>(kind: Kind, facts: DataPoint<Kind>): void;
}
