import { tracing } from "cloudflare:workers";

/** Puts the id of the request on the span of this invocation, so that Workers' traces of its parts can be found by one id. */
export function labelSpan(requestId: string | null | undefined): void {
	if (requestId != null) tracing.getActiveSpan()?.setAttribute("request_id", requestId);
}
