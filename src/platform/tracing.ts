import { tracing } from "cloudflare:workers";

/** Puts the request's id on the span of this invocation, so that the traces of all its parts can be found by one id. */
export function labelSpan(requestId: string | null | undefined): void {
	if (requestId != null) tracing.getActiveSpan()?.setAttribute("request_id", requestId);
}
