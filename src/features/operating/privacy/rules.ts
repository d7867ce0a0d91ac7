export type Row = Readonly<Record<string, unknown>>;

/** A delivery as if it were a row of a table. */
export function asRow(delivery: object): Row {
	return Object.fromEntries(
		Object.entries(delivery).map(([name, value]) => [name.replaceAll(/[A-Z]/g, (c) => `_${c.toLowerCase()}`), value]),
	);
}
