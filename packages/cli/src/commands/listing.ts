// Prints lists as a table or as JSON.
import type { Context } from "../terminal/context.ts";
import { type Cell, table } from "../terminal/text.ts";

/** Prints the items of a list, with a column for each heading. */
export function showList<Item>(ctx: Context, data: readonly Item[], columns: Readonly<Record<string, (item: Item) => Cell>>): void {
	const rows = data.map((item) => Object.values(columns).map((cellOf) => cellOf(item)));
	ctx.terminal.result({ data }, (paint) => table(paint, Object.keys(columns), rows));
}
