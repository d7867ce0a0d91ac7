// An attempt that fails leaves its verdicts to the next one. Otherwise a rate limit near the end of a long rubric would cost all of it
// again, and the next attempt would run into the same limit.
import * as z from "zod";
import { CHECK_FINDINGS } from "../../../domain/anchors.ts";
import { describeError } from "../../../platform/log.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { Judge, JudgeSession, Verdict } from "../../../ports/judge.ts";
import { newSessionState, openJudgeSession, type SessionState } from "./session.ts";
import type { ModelUsage } from "./usage-meter.ts";

const verdictSchema = z.object({
	score: z.number(),
	reasoning: z.string(),
	evidence: z.array(z.object({ path: z.string(), start: z.number(), end: z.number(), quote: z.string() })),
	checks: z.array(z.object({ check: z.string(), found: z.enum(CHECK_FINDINGS) })),
	gaps: z.array(z.string()),
	samples: z.array(
		z.object({
			model: z.string(),
			level: z.number().nullable(),
			score: z.number(),
			isInjectionSuspected: z.boolean(),
			isCapped: z.boolean(),
		}),
	),
	cutFiles: z.array(z.object({ path: z.string(), linesRead: z.number(), lines: z.number() })),
	strippedCharacters: z.number(),
	injectedLines: z.array(z.object({ path: z.string(), start: z.number(), end: z.number() })).optional(),
});

const notesSchema = z.object({
	unanswered: z.record(z.string(), z.number()),
	isExcused: z.boolean(),
	answers: z.record(z.string(), z.unknown()),
});

const usageSchema = z.object({
	model: z.string(),
	calls: z.number(),
	inputTokens: z.number(),
	outputTokens: z.number(),
	cachedTokens: z.number(),
	costMicroUsd: z.number().nullable(),
});

const memorySchema = z.object({
	/** The verdicts apply only to a judgement of the same judge, rubric and artifact, which this names. */
	basis: z.string(),
	/** The verdicts have the name of their criterion as key. */
	verdicts: z.array(z.tuple([z.string(), verdictSchema])),
	/** The same mark lets providers use what they have cached. */
	mark: z.string(),
	/** The notes have the name of their criterion as key. */
	notes: z.array(z.tuple([z.string(), notesSchema])),
	spent: z.array(usageSchema),
});

export interface Memory {
	/** This judge returns stored verdicts without another call. */
	readonly judge: Judge;
	/** The session has the mark and the notes of the earlier attempts. */
	readonly session: JudgeSession;
	/** Returns true if a criterion has its verdict. */
	isJudged(criterion: string): boolean;
	/** The earlier attempts used this. */
	readonly spent: readonly ModelUsage[];
	/** Stores the verdicts so far. A failed write is not a fault. It also runs periodically, in case the consumer dies. */
	keep(): Promise<void>;
}

/** The bucket accepts one write of an object a second, and losing a few verdicts costs little. */
const KEEP_INTERVAL_MS = 10_000;

/** Opens what earlier attempts at the same job have kept. After the job has ended, the collector of stored objects deletes it. */
export async function openMemory(
	deps: Deps,
	judge: Judge,
	place: {
		/** Returns what this attempt has used so far. */
		readonly spentNow: () => readonly ModelUsage[];
		/** The object is stored under this key. */
		readonly key: string;
		readonly jobId: string;
		readonly requestId: string | null;
		/** The first attempt has the number 1, and there is nothing for it to find. */
		readonly attempt: number;
		readonly rubricVersion: number;
		readonly artifactSha256: string | null;
	},
): Promise<Memory> {
	const { key } = place;
	const basis = JSON.stringify([judge.name, judge.models, judge.promptVersion, place.rubricVersion, place.artifactSha256]);
	const kept = place.attempt === 1 ? nothingKept(null) : await readMemory(deps, key, basis);
	const object = { key, etag: kept.etag };
	const verdicts = new Map(kept.verdicts);
	let keptAt = Number.NEGATIVE_INFINITY;
	const write = async () => {
		const spent = [...kept.spent, ...place.spentNow()];
		if (spent.length === 0) return;
		const text = JSON.stringify(toStored(basis, { verdicts, state: kept.state, spent }));
		try {
			await putUnlessNewer(deps, object, { attempt: place.attempt, text });
		} catch (error) {
			deps.log.error("verdicts_not_kept", { job_id: place.jobId, ...describeError(error) });
		}
	};
	let writing: Promise<void> = Promise.resolve();
	/** Writes run one after the other, so that an older state never overwrites a newer one. */
	const keep = () => {
		keptAt = deps.clock.now();
		writing = writing.then(write);
		return writing;
	};
	return {
		spent: kept.spent,
		isJudged: (criterion) => verdicts.has(criterion),
		session: openJudgeSession(kept.state, place.requestId),
		keep,
		judge: rememberVerdicts(judge, verdicts, () => {
			if (deps.clock.now() - keptAt >= KEEP_INTERVAL_MS) deps.background(keep());
		}),
	};
}

/** Makes a judge that is asked only about criteria without a verdict, and remembers each new one. */
function rememberVerdicts(judge: Judge, verdicts: Map<string, Verdict>, onVerdict: () => void): Judge {
	return {
		...judge,
		async judgeCriterion(request, watch) {
			const { name } = request.criterion;
			const known = verdicts.get(name);
			if (known !== undefined) return known;
			const verdict = await judge.judgeCriterion(request, watch);
			verdicts.set(name, verdict);
			onVerdict();
			return verdict;
		},
	};
}

interface MemoryState {
	readonly verdicts: ReadonlyMap<string, Verdict>;
	readonly state: SessionState;
	readonly spent: readonly ModelUsage[];
	/** It is null if there is no stored object. */
	readonly etag: string | null;
}

const ATTEMPT = "attempt";

/**
 * Stores the state of an attempt, unless a later attempt has stored its own: a consumer that has lost its claim may still be at work.
 * Remembers the version in `object`, so that the bucket itself refuses a write that would overwrite another one unseen.
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

function nothingKept(etag: string | null): MemoryState {
	return { verdicts: new Map(), state: newSessionState(), spent: [], etag };
}

async function readMemory(deps: Deps, key: string, basis: string): Promise<MemoryState> {
	const object = await deps.bucket.get(key);
	const parsed = object === null ? null : memorySchema.safeParse(await object.json());
	const etag = object?.etag ?? null;
	if (parsed?.success !== true) return nothingKept(etag);
	const { verdicts, mark, notes, spent } = parsed.data;
	if (parsed.data.basis !== basis) return { ...nothingKept(etag), spent };
	const known = new Map(verdicts.map(([name, verdict]) => [name, freeze(verdict)]));
	return { verdicts: known, state: { mark, notes: new Map(notes) }, spent, etag };
}

function toStored(basis: string, { verdicts, state, spent }: Omit<MemoryState, "etag">): z.input<typeof memorySchema> {
	return {
		basis,
		verdicts: [...verdicts].map(([name, verdict]) => [name, thaw(verdict)]),
		mark: state.mark,
		// A criterion with a verdict needs no notes.
		notes: [...state.notes].filter(([name]) => !verdicts.has(name)),
		spent: [...spent],
	};
}

function freeze({ injectedLines, ...rest }: z.output<typeof verdictSchema>): Verdict {
	return injectedLines === undefined ? rest : { ...rest, injectedLines };
}

/** Returns the same verdict with lists that may be changed, as the type of the schema needs them. */
function thaw({ evidence, checks, gaps, samples, cutFiles, injectedLines, ...rest }: Verdict): z.input<typeof verdictSchema> {
	const injected = injectedLines === undefined ? undefined : [...injectedLines];
	const lists = { evidence: [...evidence], checks: [...checks], gaps: [...gaps], samples: [...samples], cutFiles: [...cutFiles] };
	return { ...rest, ...lists, injectedLines: injected };
}
