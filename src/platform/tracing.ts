import { tracing } from "cloudflare:workers";

/** Puts the request's id on the span of this invocation, so that the traces of all parts of a request can be found by its id. */
export function labelSpan(requestId: string | null | undefined): void {
	if (requestId != null) tracing.getActiveSpan()?.setAttribute("request_id", requestId);
}
