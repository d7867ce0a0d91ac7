import { formatDateTime, formatTimeLeft } from "../../../src/domain/formats.ts";
import { useNow } from "./use-now.ts";

interface CountdownProps {
	readonly until: string;
	readonly past?: string;
	/** How far the clock that the countdown follows is ahead of the browser's clock, in milliseconds. Default: 0. */
	readonly aheadMs?: number;
}

/** Counts down to a time, and shows that time in a tooltip. */
export function Countdown({ until, past = "over", aheadMs = 0 }: CountdownProps) {
	const leftMs = Date.parse(until) - useNow() - aheadMs;
	return (
		<time dateTime={until} title={formatDateTime(until)} className={leftMs > 0 && leftMs < 3_600_000 ? "countdown soon" : "countdown"}>
			{leftMs <= 0 ? past : formatTimeLeft(leftMs)}
		</time>
	);
}
