import { tracing } from "cloudflare:workers";

/** Adds the request's id to the trace span of this invocation, so that people find the traces of all parts of a request by its id. */
export function labelSpan(requestId: string | null | undefined): void {
	if (requestId != null) tracing.getActiveSpan()?.setAttribute("request_id", requestId);
}
