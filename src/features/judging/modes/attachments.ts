// A judge reads the text attachments of a task as a part of it.
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { JudgedTask as PortTask } from "../../../ports/judge.ts";
import type { StoredAttachment } from "../work.ts";

const TEXT_TYPES = new Set(["text/plain", "text/csv", "application/json"]);
/** A judge never sees more of an attachment. A character has up to four bytes. */
const MAX_BYTES = 1_048_576;

/**
 * Reads the attachments that are text. One that was deleted in the meantime, or cannot be read, is left out, because an attachment must not
 * stop a judgement.
 */
export async function readTextAttachments(
	deps: Deps,
	attachments: readonly StoredAttachment[],
): Promise<NonNullable<PortTask["attachments"]>> {
	const texts = attachments.filter(({ contentType }) => TEXT_TYPES.has(contentType));
	const read = texts.map(async ({ key, filename }) => {
		try {
			const object = await deps.bucket.get(key, { range: { offset: 0, length: MAX_BYTES } });
			return object === null ? [] : [{ filename, text: new TextDecoder().decode(await object.arrayBuffer()) }];
		} catch (error) {
			deps.log.error("attachment_not_read", describeError(error));
			return [];
		}
	});
	return (await Promise.all(read)).flat();
}
