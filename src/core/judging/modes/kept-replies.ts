// An attempt that ends early passes its replies to the next attempt. Otherwise, a rate limit near the end of a long rubric would mean
// paying for the whole rubric again, and the next attempt would hit the same limit.
import * as z from "zod";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { ModelUsage } from "../usage-meter.ts";

const usageSchema = z.object({
	model: z.string(),
	calls: z.number(),
	inputTokens: z.number(),
	outputTokens: z.number(),
	cachedTokens: z.number(),
	costMicroUsd: z.number().nullable(),
});

const keptSchema = z.object({
	/** Identifies the rubric and the artifact that the replies are about. */
	basis: z.string(),
	/** The replies, by the name of the stage. */
	stages: z.record(z.string(), z.unknown()),
	spent: z.array(usageSchema),
});

type KeptState = Omit<z.output<typeof keptSchema>, "basis"> & {
	/** The version of the stored object. Null if the object does not exist yet. */
	readonly etag: string | null;
};

/** The names of the stages in order. `screening` uses a cheap model. */
export type StageName = "screening" | "judging";

export interface KeptReplies {
	/** The usage of models in earlier attempts. */
	readonly spent: readonly ModelUsage[];
	/** Returns the latest replies of a stage, from this attempt or earlier ones. */
	find(stage: StageName): unknown;
	/** Takes a stage's replies so far. Stores them from time to time, in case the consumer dies. */
	keep(stage: StageName, kept: unknown): void;
	/** Stores the replies now. Never throws: if the write fails, the error is logged. */
	store(): Promise<void>;
}

/** The interval between two writes. The bucket accepts one write per second to an object, and losing a few replies costs little. */
const STORE_INTERVAL_MS = 10_000;

interface KeptPlace {
	/** The key of the object. After the job has ended, the collector of stored objects deletes it. */
	readonly key: string;
	readonly jobId: string;
	/** The number of this attempt, from 1. The first attempt finds no earlier replies. */
	readonly attempt: number;
	readonly rubricVersion: number;
	readonly artifactSha256: string | null;
	/** Returns this attempt's usage so far. */
	readonly spentNow: () => readonly ModelUsage[];
}

/** Reads the replies of earlier attempts at the same job, and takes those of this attempt. */
export async function openKeptReplies(deps: Deps, place: KeptPlace): Promise<KeptReplies> {
	const { key, attempt } = place;
	const basis = JSON.stringify([place.rubricVersion, place.artifactSha256]);
	const saved: KeptState = attempt === 1 ? { stages: {}, spent: [], etag: null } : await readState(deps, key, basis);
	const object = { key, etag: saved.etag };
	const stages = { ...saved.stages };
	let storedAt = Number.NEGATIVE_INFINITY;
	const write = async () => {
		const spent = [...saved.spent, ...place.spentNow()];
		if (spent.length === 0 && Object.keys(stages).length === 0) return;
		const kept: z.input<typeof keptSchema> = { basis, stages, spent };
		try {
			await putUnlessNewer(deps, object, { attempt, text: JSON.stringify(kept) });
		} catch (error) {
			deps.log.error("replies_not_kept", { job_id: place.jobId, ...describeError(error) });
		}
	};
	let writing: Promise<void> = Promise.resolve();
	/** Writes run one after the other, so that an older state never replaces a newer one. */
	const store = () => {
		storedAt = deps.clock.now();
		writing = writing.then(write);
		return writing;
	};
	return {
		spent: saved.spent,
		find: (stage) => stages[stage],
		keep(stage, kept) {
			stages[stage] = kept;
			if (deps.clock.now() - storedAt >= STORE_INTERVAL_MS) deps.background(store());
		},
		store,
	};
}

const ATTEMPT = "attempt";

/**
 * Stores the state of an attempt, unless a later attempt has stored its own: a consumer that has lost its claim may still be running.
 * Remembers the version in `object.etag`, so that the bucket rejects a write over a version that this attempt has not seen.
 */
async function putUnlessNewer(
	{ bucket }: Deps,
	object: { readonly key: string; etag: string | null },
	{ attempt, text }: { readonly attempt: number; readonly text: string },
): Promise<void> {
	for (;;) {
		const written = await bucket.put(object.key, text, {
			onlyIf: object.etag === null ? { etagDoesNotMatch: "*" } : { etagMatches: object.etag },
			httpMetadata: { contentType: "application/json" },
			customMetadata: { [ATTEMPT]: String(attempt) },
		});
		if (written !== null) {
			object.etag = written.etag;
			return;
		}
		const other = await bucket.head(object.key);
		if (Number(other?.customMetadata?.[ATTEMPT] ?? 0) > attempt) return;
		object.etag = other?.etag ?? null;
	}
}

/** Drops replies about another rubric or artifact, but keeps their usage, because they have been paid for. */
async function readState(deps: Deps, key: string, basis: string): Promise<KeptState> {
	const object = await deps.bucket.get(key);
	const parsed = object === null ? null : keptSchema.safeParse(await object.json());
	const etag = object?.etag ?? null;
	if (parsed?.success !== true) return { stages: {}, spent: [], etag };
	const { stages, spent } = parsed.data;
	return { stages: parsed.data.basis === basis ? stages : {}, spent, etag };
}
