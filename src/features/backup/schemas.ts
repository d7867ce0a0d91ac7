// What a backup looks like in its bucket. npm run restore reads it with the same schemas.
import * as z from "zod";

/** Every backup has a folder of its own below this one. */
export const BACKUPS = "backups/";
/** Says which backup is the newest one that is complete. */
export const LATEST_KEY = "latest.json";
export const MANIFEST_NAME = "manifest.json";
/** The section that lists the objects of the main bucket. No table has a name like this. */
export const OBJECTS = "objects";
/** The section of rows that came back from the archive while tables were copied. */
export const RETURNED = "returned";

/** One file of gzipped JSON Lines. */
const part = z.object({
	/** Below the folder of the backup. */
	path: z.string(),
	rows: z.int(),
	/** Compressed. */
	bytes: z.int(),
	sha256: z.string(),
});

const section = z.object({ name: z.string(), rows: z.int(), parts: z.array(part) });

export type Part = z.output<typeof part>;
export type Section = z.output<typeof section>;

/** The list of everything in a backup. It is written last, so a backup that has one is complete. */
export const manifestSchema = z.object({
	format: z.literal(1),
	id: z.string(),
	/** The newest migration of the database. */
	migration: z.string(),
	started_at: z.iso.datetime(),
	ended_at: z.iso.datetime(),
	tables: z.array(section),
	/** Backups of before this section have none. */
	returned: section.optional(),
	/** The objects of the main bucket, by key. Their contents are not in the backup. */
	objects: section,
});

export type Manifest = z.output<typeof manifestSchema>;

export const latestSchema = z.object({ id: z.string() });

/** A line of {@link RETURNED}: a row as JSON, and its table. */
export const returnedLine = z.object({ table: z.string(), row: z.string() });

/** A line of the list of objects. */
export const objectLine = z.object({ key: z.string(), size: z.int(), etag: z.string(), uploaded: z.iso.datetime() });

const keyValue = z.union([z.string(), z.number()]);

/** How far the newest backup has come, for the run that continues it. */
export const checkpointSchema = z.object({
	id: z.string(),
	migration: z.string(),
	/** In milliseconds since the epoch, as all times here. */
	startedAt: z.int(),
	/** Null while it is under way. */
	endedAt: z.int().nullable(),
	/** No other run continues it before this time. */
	leaseExpiresAt: z.int(),
	sections: z.array(section),
	/** The key of the last row of the last section; null at its start, and at its end with `isEnded`. */
	after: z.array(keyValue).nullable(),
	isSectionEnded: z.boolean(),
});

export type Checkpoint = z.output<typeof checkpointSchema>;
