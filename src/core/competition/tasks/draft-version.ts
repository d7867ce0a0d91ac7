// Clients send back the version of the draft that they read, so that they do not overwrite changes that they have not seen.
import * as z from "zod";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { parseEntityTags } from "../../../domain/entity-tags.ts";
import { AppError } from "../../../domain/errors.ts";
import { headerText } from "../../../http/fields.ts";
import { sha256Hex } from "../../../platform/crypto.ts";

export const ifMatchHeader = z.object({
	"if-match": headerText
		.optional()
		.describe("An ETag of the draft. If the draft has changed since, the request is rejected. Without this header, the last change wins."),
});

export const DRAFT_ETAG = { ETag: "The version of the draft. Send it in If-Match with your next change." };

const HASH_LENGTH = 32;

type DraftVersion = Pick<TaskRow, "status" | "revision">;

/** Returns a draft's version as an ETag header. Returns no header for a published task: its responses get an ETag of their content. */
export function draftEtag({ status, revision }: DraftVersion): { readonly ETag?: string } {
	return status === "draft" ? { ETag: `"${revision}"` } : {};
}

/** Returns an ETag made from the draft's version and from the response, because some fields change without a new version. */
export async function representationEtag({ status, revision }: DraftVersion, view: object): Promise<{ readonly ETag?: string }> {
	if (status !== "draft") return {};
	return { ETag: `"${revision}-${(await sha256Hex(JSON.stringify(view))).slice(0, HASH_LENGTH)}"` };
}

/** @throws AppError `PRECONDITION_FAILED` unless the header has an ETag of the draft's current version, is `*` or is missing. */
export function assertVersion({ revision }: DraftVersion, ifMatch: string | undefined): void {
	if (ifMatch === undefined) return;
	const tags = parseEntityTags(ifMatch) ?? [];
	const isCurrent = tags === "*" || tags.some((tag) => tag.split("-", 1)[0] === String(revision));
	if (!isCurrent) throw new AppError("PRECONDITION_FAILED");
}
