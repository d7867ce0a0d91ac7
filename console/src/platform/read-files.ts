// Reads files and folders that a person chose or dropped, for quick-submit, check and dry-run.

import { type DropItem, isDirectoryDropItem, isFileDropItem } from "react-aria-components";
import type { PickedFile } from "../rules/picked-file.ts";

/** Reads all files of dropped files and folders. A single dropped folder is the root, so its name is not in the paths. */
export async function readDropItems(items: readonly DropItem[]): Promise<PickedFile[]> {
	const [first] = items;
	const isOneFolder = items.length === 1 && first !== undefined && isDirectoryDropItem(first);
	const found = await Promise.all(items.map((item) => readItem(item, isOneFolder ? "" : undefined)));
	return found.flat();
}

async function readItem(item: DropItem, ownPath?: string): Promise<PickedFile[]> {
	if (isFileDropItem(item)) return [{ path: ownPath ?? item.name, file: await item.getFile() }];
	if (!isDirectoryDropItem(item)) return [];
	const prefix = ownPath ?? item.name;
	const found: PickedFile[] = [];
	for await (const entry of item.getEntries())
		found.push(...(await readItem(entry, prefix === "" ? entry.name : `${prefix}/${entry.name}`)));
	return found;
}

/** Reads the files of a file input. Browsers put the name of a chosen folder first in each path; it is removed. */
export function readChosenFiles(files: FileList | null): PickedFile[] {
	return [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file }));
}

/** Converts files to the form that the client accepts. */
export function pairs(files: readonly PickedFile[]): (readonly [path: string, file: File])[] {
	return files.map(({ path, file }) => [path, file]);
}
