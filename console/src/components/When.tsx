import { formatDateTime } from "../../../src/domain/formats.ts";

/** Shows a time in a row of a table, on one line where there is room. */
export function When({ at }: { readonly at: string }) {
	return (
		<time className="nowrap" dateTime={at}>
			{formatDateTime(at)}
		</time>
	);
}
