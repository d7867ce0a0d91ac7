import type { ComponentProps, ReactNode } from "react";
import { ErrorMessage } from "./ErrorMessage.tsx";
import { Loading } from "./Progress.tsx";
import { ShowMore } from "./ShowMore.tsx";
import { Table } from "./Table.tsx";

interface PagedTableProps<Row> extends Pick<ComponentProps<typeof Table<Row>>, "label" | "columns"> {
	/** The query, from useInfiniteQuery. */
	readonly query: ComponentProps<typeof ShowMore>["query"] & {
		readonly data: { readonly pages: readonly { readonly data: readonly Row[] }[] } | undefined;
	};
	/** The text while the first page loads, such as "Loading your deals". */
	readonly loading: string;
	/** Shown while the list is empty. */
	readonly empty: ReactNode;
}

/** Shows a list from the API as a table, page by page, and what to show while it loads, fails or is empty. */
export function PagedTable<Row extends { readonly id: string }>({ query, label, columns, loading, empty }: PagedTableProps<Row>) {
	const { data, error } = query;
	if (data === undefined) return error === null ? <Loading label={loading} /> : <ErrorMessage error={error} />;
	const rows = data.pages.flatMap((page) => page.data);
	if (rows.length === 0) return empty;
	return (
		<>
			<Table label={label} columns={columns} rows={rows} rowKey={({ id }) => id} />
			<ShowMore query={query} />
		</>
	);
}
