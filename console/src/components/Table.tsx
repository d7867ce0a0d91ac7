import type { ReactNode } from "react";

interface Column<Row> {
	readonly id: string;
	readonly head: string;
	readonly cell: (row: Row) => ReactNode;
	/** Numbers are aligned at their end. */
	readonly isNumber?: boolean;
}

interface TableProps<Row> {
	/** Names the rows of the table for screen readers. */
	readonly label: string;
	/** The first column is the heading of its row. */
	readonly columns: readonly Column<Row>[];
	readonly rows: readonly Row[];
	readonly rowKey: (row: Row) => string;
}

/** A table to read. On a narrow window it scrolls sideways, by keyboard as well. */
export function Table<Row>({ label, columns, rows, rowKey }: TableProps<Row>) {
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: A region that scrolls must be reachable by keyboard.
		<section className="table-frame" aria-label={label} tabIndex={0}>
			<table className="table">
				<thead>
					<tr>
						{columns.map(({ id, head, isNumber = false }) => (
							<th key={id} scope="col" className={isNumber ? "number" : undefined}>
								{head}
							</th>
						))}
					</tr>
				</thead>
				<tbody>
					{rows.map((row) => (
						<tr key={rowKey(row)}>
							{columns.map(({ id, cell, isNumber = false }, index) =>
								index === 0 ? (
									<th key={id} scope="row">
										{cell(row)}
									</th>
								) : (
									<td key={id} className={isNumber ? "number" : undefined}>
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
