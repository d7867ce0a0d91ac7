// The Worker uploads a file's bytes to R2 between two calls to the `Workspace` object: the first reserves the blob, the second claims it.
import * as z from "zod";
import { EXAMPLE_ORIGIN } from "../../../domain/example-story.ts";
import type { PublicCtx } from "../../../ports/deps.ts";

export const finalizeUrl = z.url().describe("POST to this URL once the bytes have arrived.");
export const finalizeMethod = z.literal("POST").describe("The HTTP method for the request to `finalize_url`.");

const FINALIZE_PATH = "/api/v1/workspace/files/finalize";
export const EXAMPLE_FINALIZE_URL = `${EXAMPLE_ORIGIN}${FINALIZE_PATH}`;

/** Returns the request to send when the bytes of an upload have arrived. */
export function finalizeStep(ctx: PublicCtx) {
	return { finalize_url: `${ctx.baseUrl}${FINALIZE_PATH}`, finalize_method: "POST" as const };
}

/** Returns a new blob name. Each upload gets its own blob, so that a file's content never changes while someone reads it. */
export function newBlobKey(ctx: PublicCtx, agentId: string): string {
	return `workspace/${agentId}/${ctx.ids.next()}`;
}

/** Builds the error for a blob whose reservation expired before the upload was complete. */
export function blobLost(blobKey: string): Error {
	return new Error(`A workspace blob was uploaded too late to be claimed: ${blobKey}`);
}

/**
 * Runs an upload. If it fails, releases the blob's reservation at once. If that fails too, the alarm of the `Workspace` object does it
 * later.
 */
export async function orAbandon<T>(
	ctx: PublicCtx,
	{ agentId, blobKey }: { readonly agentId: string; readonly blobKey: string },
	put: () => Promise<T>,
): Promise<T> {
	try {
		return await put();
	} catch (error) {
		ctx.background(ctx.hubs.callWorkspace(agentId, (workspace) => workspace.abandonBlob(blobKey)));
		throw error;
	}
}
