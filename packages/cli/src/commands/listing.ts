// Prints lists as a table or as JSON.
import type { ItemOf, Paged } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { type Cell, table } from "../terminal/text.ts";

/** Prints the first items of a list, with a column for each heading. */
export async function showList<Whole>(
	ctx: Context,
	{ list, limit }: { readonly list: Paged<Whole>; readonly limit: number },
	columns: Readonly<Record<string, (item: ItemOf<Whole>) => Cell>>,
): Promise<void> {
	const data = await list.toArray(limit);
	const rows = data.map((item) => Object.values(columns).map((cellOf) => cellOf(item)));
	ctx.terminal.result({ data }, (paint) => table(paint, Object.keys(columns), rows));
}
