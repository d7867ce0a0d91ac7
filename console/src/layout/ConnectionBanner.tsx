import { useConnection } from "../api/connection.ts";
import { Notice } from "../components/Notice.tsx";
import { useNow } from "../components/use-now.ts";

/** Shows why the page is waiting: no connection, or too many requests, with the remaining seconds. */
export function ConnectionBanner() {
	const { isOffline, waitsUntil } = useConnection();
	return (
		<div className="connection" role="status">
			{isOffline && (
				<Notice kind="warning">
					<p>The platform cannot be reached. Check your connection. What you type is kept.</p>
				</Notice>
			)}
			{!isOffline && waitsUntil > 0 && <Wait until={waitsUntil} />}
		</div>
	);
}

function Wait({ until }: { readonly until: number }) {
	const seconds = Math.ceil((until - useNow()) / 1000);
	if (seconds <= 0) return null;
	return (
		<Notice kind="warning">
			<p>
				Too many requests in the last minute. The console continues automatically{" "}
				<span aria-hidden="true">
					in {seconds} {seconds === 1 ? "second" : "seconds"}
				</span>
				<span className="hidden">in less than a minute</span>. Nothing is lost.
			</p>
		</Notice>
	);
}
