import { Button } from "./Button.tsx";
import { ErrorMessage } from "./ErrorMessage.tsx";

interface ShowMoreProps {
	/** useInfiniteQuery returns this query of pages. */
	readonly query: {
		readonly error: Error | null;
		readonly hasNextPage: boolean;
		readonly isFetchingNextPage: boolean;
		fetchNextPage(): Promise<unknown>;
	};
}

/** Shows the end of a list that loads in pages: why the last request failed, and a button for the next page. */
export function ShowMore({ query: { error, hasNextPage, isFetchingNextPage, fetchNextPage } }: ShowMoreProps) {
	return (
		<>
			{error !== null && <ErrorMessage error={error} />}
			{hasNextPage && (
				<div className="actions">
					<Button isPending={isFetchingNextPage} onPress={() => void fetchNextPage()}>
						Show more
					</Button>
				</div>
			)}
		</>
	);
}
