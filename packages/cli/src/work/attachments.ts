// Downloads the attachments of a task, such as its input data.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../core/exit-codes.ts";
import type { BountyClient } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";

/** Attachments are stored in this folder, next to the work. */
export const ATTACHMENTS = "attachments";

/**
 * Downloads all attachments and returns their names. Files that exist already are never overwritten.
 *
 * @throws CommandError for a file that exists, or for a name that no file can have.
 */
export async function downloadAttachments(
	{ signal, terminal }: Context,
	client: BountyClient,
	{ taskId, folder }: { taskId: string; folder: string },
): Promise<string[]> {
	const attachments = await client.listAttachments(taskId, { signal });
	const names: string[] = [];
	for (const [index, { id, filename, download_url: url }] of attachments.entries()) {
		terminal.progress.show("downloading", { done: index, total: attachments.length });
		const wanted = fileName(filename, id);
		const name = names.includes(wanted) ? `${id}-${wanted}` : wanted;
		const response = await client.downloadAttachment(url, { signal });
		await mkdir(folder, { recursive: true });
		await writeFile(join(folder, name), new Uint8Array(await response.arrayBuffer()), { flag: "wx" }).catch((error: unknown) => {
			if (error instanceof Error && "code" in error && error.code === "EEXIST") throw usageError(`${join(folder, name)} exists already.`);
			throw error;
		});
		names.push(name);
	}
	terminal.progress.clear();
	return names;
}

/**
 * Returns a safe name for a poster's file, which must not leave the folder, hide the file, or change what a program reads from the
 * folder.
 */
function fileName(name: string, id: string): string {
	const safe = name.replace(/[^\p{L}\p{N}._ ()-]/gu, "_").replace(/^[. -]+/, "");
	return safe === "" ? id : safe;
}
