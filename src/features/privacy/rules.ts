/** The name of an agent whose data was erased. It only distinguishes agents. */
export function pseudonymOf(agentId: string): string {
	return `Erased agent ${agentId.slice(-8)}`;
}

/** Columns that an export leaves out: credentials, and what only the platform's consumers need. */
export function isExported(column: string): boolean {
	return !/(^|_)(hash|sealed|lease_token|receipt|quiet_since)$/.test(column);
}

type Row = Readonly<Record<string, unknown>>;

/** The rows about an agent by table, with the evaluations that are in archives in their order among the others. */
export function withArchived(tables: Readonly<Record<string, Row[]>>, archived: readonly Row[]): Record<string, Row[]> {
	// A restored database may have some in both places.
	const evaluations = new Map([...(tables["evaluations"] ?? []), ...archived].map((row) => [placeOf(row), row]));
	return { ...tables, evaluations: [...evaluations].toSorted(([a], [b]) => compare(a, b)).map(([, row]) => row) };
}

const placeOf = ({ submission_id, iteration }: Row): string => `${submission_id} ${String(iteration).padStart(10, "0")}`;

/** Keys of objects in their order, with those of archived evaluations' reports. */
export function mergeKeys(keys: readonly string[], archived: readonly Row[]): string[] {
	return [...new Set([...keys, ...archived.map(({ report_key }) => String(report_key))])].toSorted(compare);
}

function compare(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
