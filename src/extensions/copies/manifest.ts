import * as z from "zod";
import { sha256Hex } from "../../platform/crypto.ts";

/** The version of the format of copies. Increase it if earlier versions of the platform cannot read the new copies. */
export const FORMAT = 1;

const pageFacts = z.object({
	table: z.string(),
	/** Pages of a table are numbered from 1. */
	number: z.int(),
	rows: z.int(),
	bytes: z.int(),
	sha256: z.string(),
});

export type PageFacts = z.output<typeof pageFacts>;

const key = z.array(z.union([z.string(), z.number()])).readonly();

export const underWaySchema = z.object({
	revision: z.string(),
	pages: z.array(pageFacts).readonly(),
	/** For each table, the key of the last row in its pages. */
	marks: z.record(z.string(), key),
});

export type UnderWay = z.output<typeof underWaySchema>;

/** The manifest is written last, so a copy without one is incomplete. */
export const manifestSchema = z.object({
	format: z.int(),
	/** The id of the task or the agent. */
	id: z.string(),
	/** The name of the copy. Names sort by time. */
	revision: z.string(),
	/** The time of the state in the copy, in milliseconds since the epoch. */
	copied_at: z.int(),
	/** The number that identifies the last migration that the object had applied. */
	schema: z.int(),
	tables: z.array(z.object({ name: z.string(), rows: z.int() })).readonly(),
	/** For each table whose first pages were copied before the other tables: the key of the last row in those pages. */
	marks: z.record(z.string(), key),
	pages: z.array(pageFacts).readonly(),
});

export type Manifest = z.output<typeof manifestSchema>;

export function copyFolder(prefix: string, revision: string): string {
	return `${prefix}${revision}/`;
}

export function pageKey(folder: string, { table, number }: Pick<PageFacts, "table" | "number">): string {
	return `${folder}${table}-${number}`;
}

export function manifestKey(folder: string): string {
	return `${folder}manifest.json`;
}

/** Two copies have the same digest if their rows are the same. */
export function digestOf(pages: readonly PageFacts[]): Promise<string> {
	return sha256Hex(pages.map(({ table, number, sha256 }) => `${table}-${number} ${sha256}\n`).join(""));
}

type Reader = Pick<R2Bucket, "get" | "list">;

/** Finds the newest complete copy under a prefix. Returns null if there is none. */
export async function findManifest(bucket: Reader, prefix: string): Promise<Manifest | null> {
	const { delimitedPrefixes } = await bucket.list({ prefix, delimiter: "/" });
	for (const folder of delimitedPrefixes.toSorted().toReversed()) {
		const manifest = await readManifest(bucket, folder);
		if (manifest !== null) return manifest;
	}
	return null;
}

export async function readManifest(bucket: Pick<Reader, "get">, folder: string): Promise<Manifest | null> {
	const object = await bucket.get(manifestKey(folder));
	return object === null ? null : manifestSchema.parse(await object.json());
}

/** @throws Error if the page is missing or does not match the manifest. */
export async function readStoredPage(bucket: Pick<Reader, "get">, folder: string, page: PageFacts): Promise<Uint8Array> {
	const key = pageKey(folder, page);
	const object = await bucket.get(key);
	if (object === null) throw new Error(`The page ${key} is missing.`);
	const bytes = new Uint8Array(await object.arrayBuffer());
	if ((await sha256Hex(bytes)) !== page.sha256) throw new Error(`The page ${key} does not match the manifest.`);
	return bytes;
}
