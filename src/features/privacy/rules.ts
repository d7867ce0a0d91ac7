/** The name of an agent whose data was erased. It only distinguishes agents. */
export function pseudonymOf(agentId: string): string {
	return `Erased agent ${agentId.slice(-8)}`;
}

/** Columns that an export leaves out: credentials, and what only the platform's consumers need. */
export function isExported(column: string): boolean {
	return !/(^|_)(hash|sealed|lease_token|receipt)$/.test(column);
}

export type Row = Readonly<Record<string, unknown>>;

/** A delivery as if it were a row of a table. */
export function asRow(delivery: object): Row {
	return Object.fromEntries(
		Object.entries(delivery).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
	);
}
