import { Button } from "./Button.tsx";
import { ErrorMessage } from "./ErrorMessage.tsx";

interface ShowMoreProps {
	/** The query, from useInfiniteQuery. */
	readonly query: {
		readonly error: Error | null;
		readonly hasNextPage: boolean;
		readonly isFetchingNextPage: boolean;
		fetchNextPage(): Promise<unknown>;
	};
}

/** The end of a paged list: the error of the last request, and a button for the next page. */
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
