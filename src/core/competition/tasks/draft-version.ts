// A writer sends back the version of a draft, so that no one overwrites what they have not read.
import * as z from "zod";
import type { TaskRow } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { headerText } from "../../../http/fields.ts";
import { sha256Hex } from "../../../platform/crypto.ts";

export const ifMatchHeader = z.object({
	"if-match": headerText
		.optional()
		.describe("An ETag of the draft: the change is made only if the draft has not changed since. Without it, the last change wins."),
});

export const DRAFT_ETAG = { ETag: "The version of the draft. Send it in If-Match with your next change." };

const HASH_LENGTH = 32;
const TAG = /^\s*(?:W\/)?"(\d+)(?:-[0-9a-f]*)?"\s*$/;

type DraftVersion = Pick<TaskRow, "status" | "revision">;

/** Names the version of a draft. Other tasks keep the ETag of their whole representation. */
export function draftEtag({ status, revision }: DraftVersion): { readonly ETag?: string } {
	return status === "draft" ? { ETag: `"${revision}"` } : {};
}

/** Names the version of a draft together with its representation, which also contains facts that change without a new version. */
export async function representationEtag({ status, revision }: DraftVersion, view: object): Promise<{ readonly ETag?: string }> {
	if (status !== "draft") return {};
	return { ETag: `"${revision}-${(await sha256Hex(JSON.stringify(view))).slice(0, HASH_LENGTH)}"` };
}

/** @throws AppError `PRECONDITION_FAILED` if the header names another version of the draft. */
export function assertVersion({ revision }: DraftVersion, ifMatch: string | undefined): void {
	if (ifMatch === undefined || ifMatch.trim() === "*") return;
	if (TAG.exec(ifMatch)?.[1] !== String(revision)) throw new AppError("PRECONDITION_FAILED");
}
