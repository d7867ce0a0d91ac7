// Files that a person chose or dropped, folders included, in the form that quick-submit, check and dry-run take.
import { type DropItem, isDirectoryDropItem, isFileDropItem } from "react-aria-components";

export interface PickedFile {
	/** Relative, with `/` between its parts. */
	readonly path: string;
	readonly file: File;
}

/** All files of dropped files and folders. A single dropped folder is the root and not a part of the paths. */
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

/** Files of a file input. One that takes folders gives paths with the folder's name first, which is left out. */
export function readChosenFiles(files: FileList | null): PickedFile[] {
	return [...(files ?? [])].map((file) => ({ path: file.webkitRelativePath.split("/").slice(1).join("/") || file.name, file }));
}

type FileContent = string | { content: string; encoding: "base64" };

/** The `files` of a request. Text stays text, unless it is shorter in base64 than with the escapes of JSON. */
export async function toFilesBody(files: readonly PickedFile[]): Promise<Record<string, FileContent>> {
	const contents = await Promise.all(files.map(async ({ path, file }) => [path, await readContent(file)] as const));
	return Object.fromEntries(contents);
}

async function readContent(file: File): Promise<FileContent> {
	const bytes = new Uint8Array(await file.arrayBuffer());
	const text = decodeText(bytes);
	if (text !== null && JSON.stringify(text).length - text.length <= bytes.length / 3 + 2) return text;
	return { content: toBase64(bytes), encoding: "base64" };
}

function decodeText(bytes: Uint8Array): string | null {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		return null;
	}
}

const CHUNK = 0x8000;

function toBase64(bytes: Uint8Array): string {
	let binary = "";
	for (let start = 0; start < bytes.length; start += CHUNK) binary += String.fromCharCode(...bytes.subarray(start, start + CHUNK));
	return btoa(binary);
}
