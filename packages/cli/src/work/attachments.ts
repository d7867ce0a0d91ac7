// Downloads the attachments of a task, such as its input data.
import { mkdir, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../core/exit-codes.ts";
import type { BountyClient } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { localFileName } from "./local-names.ts";

/** Attachments are stored in this folder, next to the work. */
export const ATTACHMENTS = "attachments";

/**
 * Downloads all attachments and returns their names. Never overwrites existing files.
 *
 * @throws CommandError for a file that exists, and for a folder that is replaced during the downloads, for example by a link.
 */
export async function downloadAttachments(
	{ signal, terminal }: Context,
	client: BountyClient,
	{ taskId, folder }: { taskId: string; folder: string },
): Promise<string[]> {
	const attachments = await client.listAttachments(taskId, { signal });
	const names: string[] = [];
	let place: string | undefined;
	for (const [index, { filename, download_url: url }] of attachments.entries()) {
		terminal.progress.show("downloading", { done: index, total: attachments.length });
		const name = localFileName(filename, names);
		const response = await client.downloadAttachment(url, { signal });
		const content = new Uint8Array(await response.arrayBuffer());
		await mkdir(folder, { recursive: true });
		const now = await realpath(folder);
		place ??= now;
		if (now !== place) throw usageError(`${folder} was replaced while files were written. Nothing was written to ${now}.`);
		await writeFile(join(folder, name), content, { flag: "wx" }).catch((error: unknown) => {
			if (error instanceof Error && "code" in error && error.code === "EEXIST") throw usageError(`${join(folder, name)} already exists.`);
			throw error;
		});
		names.push(name);
	}
	terminal.progress.clear();
	return names;
}
