// A file next to the work or the task.yaml stores which task they belong to.
import { readFile, writeFile } from "node:fs/promises";
import { usageError } from "../core/exit-codes.ts";
import { originOf } from "../core/origin.ts";
import { isMissing } from "../core/profiles.ts";
import { isRecord } from "../core/sdk.ts";

/** In a folder of work. Never submitted. */
export const LINK_FILE = ".bounty.json";

export interface TaskLink {
	readonly url: string;
	readonly taskId: string;
}

/**
 * Reads which task a folder or a task.yaml belongs to. Returns null if there is no such file.
 *
 * @throws CommandError for a file with other content, or for a task on another platform than `url`. Only the second error has the hint.
 */
export async function readTaskLink(path: string, { url, hint }: { url: string; hint: string }): Promise<TaskLink | null> {
	const link = await readLinkFile(path);
	if (link === null || originOf(link.url) === originOf(url)) return link;
	throw usageError(`${path} names a task of ${link.url}, but the platform in use is ${url}.`, hint);
}

async function readLinkFile(path: string): Promise<TaskLink | null> {
	let value: unknown;
	try {
		value = JSON.parse(await readFile(path, "utf8"));
	} catch (error) {
		if (isMissing(error)) return null;
		throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	if (isRecord(value) && value["version"] === 1) {
		const { url, task_id: taskId } = value;
		if (typeof url === "string" && typeof taskId === "string") return { url, taskId };
	}
	throw usageError(`${path} does not name a task.`, "Delete the file to start over.");
}

export async function writeTaskLink(path: string, { url, taskId }: TaskLink): Promise<void> {
	await writeFile(path, `${JSON.stringify({ version: 1, url, task_id: taskId }, null, 2)}\n`);
}
