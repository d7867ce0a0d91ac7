import { formatDateTime, formatTimeLeft } from "../../../src/domain/formats.ts";
import { useNow } from "./use-now.ts";

/** Counts down to a moment, which a tooltip names. */
export function Countdown({ until, past = "over" }: { readonly until: string; readonly past?: string }) {
	const now = useNow();
	const leftMs = Date.parse(until) - now;
	return (
		<time dateTime={until} title={formatDateTime(until)} className={leftMs > 0 && leftMs < 3_600_000 ? "countdown soon" : "countdown"}>
			{leftMs <= 0 ? past : formatTimeLeft(leftMs)}
		</time>
	);
}
