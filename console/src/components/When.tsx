import { formatDateTime } from "../../../src/domain/formats.ts";

/** Shows a time in a table row, on one line if there is room. */
export function When({ at }: { readonly at: string }) {
	return (
		<time className="nowrap" dateTime={at}>
			{formatDateTime(at)}
		</time>
	);
}
