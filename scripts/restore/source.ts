// Where a backup is read from: a folder, or the bucket that the Worker wrote it to.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import {
	BACKUPS,
	LATEST_KEY,
	latestSchema,
	MANIFEST_NAME,
	type Manifest,
	manifestSchema,
	type Section,
} from "../../src/features/backup/schemas.ts";
import { CommandError } from "../support/command.ts";
import { askWrangler } from "../support/wrangler.ts";

export interface BackupSource {
	readonly manifest: Manifest;
	/**
	 * The rows of a section, part by part.
	 *
	 * @throws CommandError when a part is missing, or is not what the manifest says.
	 */
	readRows(section: Section): AsyncGenerator<readonly Row[]>;
	/** Deletes what was downloaded. */
	close(): Promise<void>;
}

export const rowSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));
export type Row = z.output<typeof rowSchema>;

/** Reads a file by its key. */
type ReadFile = (key: string) => Promise<Buffer>;

export interface SourceChoice {
	/** A folder with one backup or a copy of the bucket, or `<bucket>` or `<bucket>/<backup id>`. */
	readonly from: string;
	/** The folder of a local platform that has the bucket; null for the bucket of the account. */
	readonly stateDir: string | null;
}

/** @throws CommandError when there is no complete backup. */
export async function openSource({ from, stateDir }: SourceChoice): Promise<BackupSource> {
	if (existsSync(from)) return openFolder(resolve(from));
	const [bucket = "", id] = from.split("/");
	if (!/^[a-z0-9][a-z0-9-]{1,62}$/.test(bucket)) throw new CommandError(`${from} is neither a folder nor the name of a bucket.`);
	const downloads = await mkdtemp(join(tmpdir(), "bounty-platform-restore-"));
	const target = stateDir === null ? ["--remote"] : ["--local", "--persist-to", stateDir];
	const read: ReadFile = async (key) => {
		const file = join(downloads, "part");
		const { ok, output } = await askWrangler({ args: ["r2", "object", "get", `${bucket}/${key}`, "--file", file, ...target] });
		if (!ok) throw new CommandError(`${bucket}/${key} could not be read:\n\n${output}`);
		return readFile(file);
	};
	const close = () => rm(downloads, { recursive: true, force: true });
	try {
		const folder = `${BACKUPS}${id ?? latestSchema.parse(parseJson(await read(LATEST_KEY))).id}/`;
		return await openBackup((path) => read(folder + path), close);
	} catch (error) {
		await close();
		throw error;
	}
}

async function openFolder(folder: string): Promise<BackupSource> {
	const root = existsSync(join(folder, MANIFEST_NAME)) ? folder : await findNewest(folder);
	return openBackup(
		(path) => readFile(join(root, path)),
		async () => {},
	);
}

/** In a copy of the whole bucket. */
async function findNewest(folder: string): Promise<string> {
	const latest = join(folder, LATEST_KEY);
	if (!existsSync(latest))
		throw new CommandError(`${folder} has neither ${MANIFEST_NAME} nor ${LATEST_KEY}, so it has no complete backup.`);
	return join(folder, BACKUPS, latestSchema.parse(parseJson(await readFile(latest))).id);
}

async function openBackup(read: ReadFile, close: () => Promise<void>): Promise<BackupSource> {
	const parsed = manifestSchema.safeParse(parseJson(await read(MANIFEST_NAME)));
	if (!parsed.success) throw new CommandError(`The manifest cannot be read. ${z.prettifyError(parsed.error)}`);
	return { manifest: parsed.data, readRows: (section) => readRows(read, section), close };
}

async function* readRows(read: ReadFile, { name, parts, rows }: Section): AsyncGenerator<readonly Row[]> {
	let found = 0;
	for (const part of parts) {
		const bytes = await read(part.path).catch((error: unknown) => {
			throw error instanceof CommandError ? error : new CommandError(`${part.path} is missing from the backup.`);
		});
		const sha256 = createHash("sha256").update(bytes).digest("hex");
		if (sha256 !== part.sha256) throw new CommandError(`${part.path} is damaged: its SHA-256 is not the one in the manifest.`);
		const lines = (await gunzip(bytes)).split("\n").filter((line) => line !== "");
		if (lines.length !== part.rows) throw new CommandError(`${part.path} has ${lines.length} rows, and the manifest says ${part.rows}.`);
		found += lines.length;
		yield lines.map((line) => rowSchema.parse(JSON.parse(line)));
	}
	if (found !== rows) throw new CommandError(`The parts of ${name} have ${found} rows, and the manifest says ${rows}.`);
}

async function gunzip(bytes: Buffer): Promise<string> {
	const chunks: Buffer[] = [];
	const stream = createGunzip();
	stream.end(bytes);
	for await (const chunk of stream) chunks.push(chunk);
	return Buffer.concat(chunks).toString("utf8");
}

function parseJson(bytes: Buffer): unknown {
	return JSON.parse(bytes.toString("utf8"));
}
