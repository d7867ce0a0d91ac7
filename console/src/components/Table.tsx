import type { ReactNode } from "react";

interface Column<Row> {
	readonly id: string;
	readonly head: string;
	readonly cell: (row: Row) => ReactNode;
	/** Numbers are right-aligned. */
	readonly isNumber?: boolean;
	/** The header has little room, so a long name is cut. Hover and focus show all of it. */
	readonly isNarrow?: boolean;
	/** The reader can sort by the column. */
	readonly sort?: { readonly isSorted: boolean; readonly onSort: () => void };
}

interface TableProps<Row> {
	/** The name of the table for screen readers. */
	readonly label: string;
	/** The first cell of each row is the row's heading. */
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly rowKey: (row: Row) => string;
	/** If true, the columns are few and narrow, so the table stays a table in a narrow window. */
	readonly fitsPhone?: boolean;
	/** The first column stays in view while the others scroll. */
	readonly keepsFirst?: boolean;
}

/** A read-only table. In a narrow window, each row becomes a card, in which each cell is labelled with its column. */
export function Table<Row>({ label, columns, rows, rowKey, fitsPhone = false, keepsFirst = false }: TableProps<Row>) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard.
		<section className="table-frame" aria-label={label} tabIndex={0}>
			<table className={`table${fitsPhone ? "" : " table-cards"}${keepsFirst ? " table-keeps-first" : ""}`}>
				<thead>
					<tr>
						{columns.map(({ id, head, isNumber = false, isNarrow = false, sort }) => (
							<th
								key={id}
								scope="col"
								className={[isNumber ? "number" : "", isNarrow ? "narrow-head" : ""].join(" ").trim() || undefined}
								aria-sort={sort?.isSorted === true ? "descending" : undefined}
							>
								{sort === undefined ? head : <SortButton head={head} sort={sort} />}
								{isNarrow && (
									<span className="whole-head" aria-hidden="true">
										{head}
									</span>
								)}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={rowKey(row)}>
							{columns.map(({ id, head, cell, isNumber = false }, index) =>
								index === 0 ? (
									<th key={id} scope="row">
										{cell(row)}
									</th>
								) : (
									<td key={id} data-label={head} className={isNumber ? "number" : undefined}>
										{cell(row)}
									</td>
								),
							)}
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}

function SortButton({ head, sort: { isSorted, onSort } }: { readonly head: string; readonly sort: NonNullable<Column<unknown>["sort"]> }) {
	return (
		<button type="button" className="sort" onClick={onSort}>
			<bdi className="head-text">{head}</bdi>
			<span aria-hidden="true">{isSorted ? " ▼" : " ▽"}</span>
		</button>
	);
}
