// The daily backup. Contract: docs/pages/operating/backup.mdx.
import { findSchemaLevel } from "../../db/schema-level.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS, toIso } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import type { Deps } from "../../ports/deps.ts";
import * as rules from "./rules.ts";
import {
	BACKUPS,
	type Checkpoint,
	checkpointSchema,
	LATEST_KEY,
	MANIFEST_NAME,
	type Manifest,
	OBJECTS,
	type Part,
	RETURNED,
} from "./schemas.ts";
import { listSections, type SectionSource } from "./sections.ts";

export interface BackupLimits {
	/** Of one file, before compression. It can be exceeded by a page. */
	readonly partBytes: number;
	/** One invocation may make 1,000 calls to D1, and all sweeps share it. */
	readonly readsPerRun: number;
	readonly runMs: number;
}

const LIMITS: BackupLimits = { partBytes: 4_000_000, readsPerRun: 200, runMs: 20 * SECOND_MS };

/** A run ends long before. Another run continues what a crash has cut off after this time. */
const LEASE_MS = 5 * MINUTE_MS;
const CHECKPOINT_KEY = "checkpoint.json";

/**
 * Copies the database and the list of stored objects into the bucket for backups, once a day. One run takes a bounded step and
 * leaves a checkpoint for the next one, so the backup of a large database takes several runs. Does nothing without that bucket.
 *
 * @throws what R2 or D1 throws. The next run continues behind the last finished part.
 */
export async function backUp(deps: Deps, limits: BackupLimits = LIMITS): Promise<void> {
	const { backups } = deps;
	if (backups === null) return;
	const run = await takeCheckpoint(deps, backups);
	if (run === null) return;
	let { checkpoint } = run;
	try {
		checkpoint = await copyParts(deps, {
			backups,
			checkpoint,
			limits,
			onProgress: (next) => {
				checkpoint = next;
			},
		});
	} finally {
		await backups.put(CHECKPOINT_KEY, JSON.stringify({ ...checkpoint, leaseExpiresAt: 0 }), { onlyIf: { etagMatches: run.etag } });
	}
}

/** Takes the lease of the backup that is due, or begins one. Null when none is due, or when another run has it. */
async function takeCheckpoint(deps: Deps, backups: R2Bucket): Promise<{ checkpoint: Checkpoint; etag: string } | null> {
	const now = deps.clock.now();
	const stored = await backups.get(CHECKPOINT_KEY);
	const known = stored === null ? null : checkpointSchema.parse(await stored.json());
	if (!rules.isDue(known, now)) return null;
	const migration = await findSchemaLevel(deps.db);
	// Rows of two schemas do not fit together, so a migration begins a new backup.
	const isContinued = known !== null && known.endedAt === null && known.migration === migration;
	const checkpoint = { ...(isContinued ? known : newCheckpoint(now, migration)), leaseExpiresAt: now + LEASE_MS };
	const onlyIf = stored === null ? { etagDoesNotMatch: "*" } : { etagMatches: stored.etag };
	const taken = await backups.put(CHECKPOINT_KEY, JSON.stringify(checkpoint), { onlyIf });
	return taken === null ? null : { checkpoint, etag: taken.etag };
}

function newCheckpoint(now: number, migration: string): Checkpoint {
	const id = rules.backupIdAt(now);
	return { id, migration, startedAt: now, endedAt: null, leaseExpiresAt: 0, sections: [], after: null, isSectionEnded: true };
}

interface Copying {
	readonly backups: R2Bucket;
	readonly checkpoint: Checkpoint;
	readonly limits: BackupLimits;
	/** Gets the state after each part, which counts even if the next one fails. */
	readonly onProgress: (checkpoint: Checkpoint) => void;
}

async function copyParts(deps: Deps, { backups, checkpoint: start, limits, onProgress }: Copying): Promise<Checkpoint> {
	const stopAt = deps.clock.now() + limits.runMs;
	const budget = { reads: limits.readsPerRun };
	let checkpoint = start;
	while (budget.reads > 0 && deps.clock.now() < stopAt) {
		const source = findSource(checkpoint);
		if (source === null) return finish(deps, backups, checkpoint);
		checkpoint = await copyPart(deps, { backups, checkpoint, source, partBytes: limits.partBytes, budget });
		onProgress(checkpoint);
	}
	return checkpoint;
}

/** The section to go on with; null when all have been copied. */
function findSource({ sections, isSectionEnded }: Checkpoint): SectionSource | null {
	const sources = listSections();
	const current = sections.at(-1);
	if (!isSectionEnded) return sources.find(({ name }) => name === current?.name) ?? null;
	return sources[sections.length] ?? null;
}

interface CopiedPart {
	readonly backups: R2Bucket;
	readonly checkpoint: Checkpoint;
	readonly source: SectionSource;
	readonly partBytes: number;
	/** Counts down with each read. */
	readonly budget: { reads: number };
}

async function copyPart(deps: Deps, { backups, checkpoint, source, partBytes, budget }: CopiedPart): Promise<Checkpoint> {
	const current = checkpoint.isSectionEnded ? { name: source.name, rows: 0, parts: [] } : (checkpoint.sections.at(-1) ?? null);
	if (current === null) throw new Error("The checkpoint is in the middle of a section that it does not have.");
	const sections = checkpoint.isSectionEnded ? checkpoint.sections : checkpoint.sections.slice(0, -1);
	const { startedAt } = checkpoint;
	const after = checkpoint.isSectionEnded ? null : checkpoint.after;
	const { lines, next } = await readPart(deps, { source, startedAt, after, partBytes, budget });
	const parts =
		lines.length === 0 ? current.parts : [...current.parts, await writePart(deps, { backups, lines, id: checkpoint.id, section: current })];
	const section = { name: source.name, rows: current.rows + lines.length, parts };
	return { ...checkpoint, sections: [...sections, section], after: next, isSectionEnded: next === null };
}

type PlaceToRead = Pick<Checkpoint, "startedAt" | "after">;

async function readPart(
	deps: Deps,
	{ source, startedAt, after: start, partBytes, budget }: Pick<CopiedPart, "source" | "partBytes" | "budget"> & PlaceToRead,
) {
	const lines: string[] = [];
	let bytes = 0;
	let next = start;
	do {
		const limit = rules.nextPageRows({ rows: lines.length, bytes });
		const page = await source.readPage(deps, { after: next, limit, startedAt });
		budget.reads -= 1;
		lines.push(...page.lines);
		bytes += page.lines.reduce((sum, line) => sum + line.length, 0);
		next = page.next;
	} while (next !== null && bytes < partBytes && budget.reads > 0);
	return { lines, next };
}

interface NewPart {
	readonly backups: R2Bucket;
	readonly id: string;
	readonly section: { readonly name: string; readonly parts: readonly Part[] };
	readonly lines: readonly string[];
}

/** The name has a random part, so a run that has lost its lease cannot overwrite what another one wrote. */
async function writePart(deps: Deps, { backups, id, section, lines }: NewPart): Promise<Part> {
	const compressed = new Response(`${lines.join("\n")}\n`).body?.pipeThrough(new CompressionStream("gzip"));
	const bytes = new Uint8Array(await new Response(compressed).arrayBuffer());
	const number = String(section.parts.length + 1).padStart(5, "0");
	const path = `${section.name}/${number}-${deps.ids.next()}.jsonl.gz`;
	await backups.put(`${BACKUPS}${id}/${path}`, bytes);
	return { path, rows: lines.length, bytes: bytes.length, sha256: await sha256Hex(bytes) };
}

/** Writes the manifest, then names this backup as the newest one, then deletes those that are too old. */
async function finish(deps: Deps, backups: R2Bucket, checkpoint: Checkpoint): Promise<Checkpoint> {
	const endedAt = deps.clock.now();
	const { id, migration, sections, startedAt } = checkpoint;
	const objects = sections.find(({ name }) => name === OBJECTS);
	if (objects === undefined) throw new Error("The backup has no list of objects.");
	const returned = sections.find(({ name }) => name === RETURNED);
	const tables = sections.filter((section) => section !== objects && section !== returned);
	const times = { started_at: toIso(startedAt), ended_at: toIso(endedAt) };
	const manifest: Manifest = { format: 1, id, migration, ...times, tables, objects, ...(returned === undefined ? {} : { returned }) };
	await backups.put(`${BACKUPS}${id}/${MANIFEST_NAME}`, JSON.stringify(manifest));
	await backups.put(LATEST_KEY, JSON.stringify({ id }));
	const sum = (pick: (part: Part) => number) => tables.flatMap(({ parts }) => parts).reduce((total, part) => total + pick(part), 0);
	const facts = { rows: sum(({ rows }) => rows), bytes: sum(({ bytes }) => bytes), ms: endedAt - startedAt };
	deps.log.info("backup_finished", { backup: id, objects: objects.rows, ...facts });
	deps.metrics.write("backup", { objects: objects.rows, ...facts });
	await deleteOldBackups(deps, backups, id);
	return { ...checkpoint, endedAt, sections: [], after: null, isSectionEnded: true };
}

const MAX_DELETED_PAGES = 20;

/** Deletes backups that are older than the retention, complete or not. What is left over goes with the next backup. */
async function deleteOldBackups(deps: Deps, backups: R2Bucket, newestId: string): Promise<void> {
	const oldest = `${BACKUPS}${rules.oldestKeptId(deps.clock.now(), deps.config.backupRetentionMs / DAY_MS)}`;
	for (let page = 0; page < MAX_DELETED_PAGES; page += 1) {
		const { objects } = await backups.list({ prefix: BACKUPS, limit: 1_000 });
		// Keys sort by time, so the old ones come first.
		const old = objects.filter(({ key }) => key < oldest && !key.startsWith(`${BACKUPS}${newestId}/`)).map(({ key }) => key);
		if (old.length === 0) return;
		await backups.delete(old);
	}
}
