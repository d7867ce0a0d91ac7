import * as z from "zod";
import { uuid } from "../../http/fields.ts";
import { decodeCursor, encodeCursor, pageRows } from "../../http/pagination.ts";
import type { Ctx, Deps } from "../../ports/deps.ts";
import { ArchiveFault } from "../artifacts/policy.ts";
import { ObjectGoneError } from "../artifacts/range-reader.ts";
import { assertOwner, canSeeTask } from "../competition/tasks/rules.ts";
import { taskNotFound } from "../tasks/service.ts";
import { readComparedFiles } from "./artifact-text.ts";
import { type Comparable, findPairs } from "./pairs.ts";
import * as rules from "./rules.ts";
import { decodeMinima, encodeMinima, signFiles } from "./signature.ts";
import * as store from "./store.ts";

interface SignableSubmission {
	readonly id: string;
	readonly taskId: string;
	readonly agentId: string;
	/** Null while nothing is stored. */
	readonly artifactKey: string | null;
	readonly artifactSha256: string | null;
}

/**
 * Stores the signature of a submission's artifact unless that is done. An artifact that cannot be read gets one that
 * only its hash can match.
 */
export async function ensureSignature(deps: Deps, submission: SignableSubmission): Promise<void> {
	const { id: submissionId, taskId, agentId, artifactKey, artifactSha256 } = submission;
	if (artifactKey === null || (await store.hasSignature(deps, { taskId, submissionId, artifactSha256 }))) return;
	await store.saveSignature(deps, { taskId, submissionId, agentId, artifactSha256, ...(await signArtifact(deps, artifactKey)) });
}

/** The signature of an artifact's text. An artifact that cannot be read gets one that only its hash can match. */
export async function signArtifact(deps: Deps, artifactKey: string): Promise<Pick<store.SignatureRow, "shingles" | "minima">> {
	const signature = signFiles(await readFilesOrNothing(deps, artifactKey));
	return { shingles: signature.shingles, minima: encodeMinima(signature) };
}

async function readFilesOrNothing(deps: Deps, artifactKey: string) {
	try {
		return await readComparedFiles(deps, artifactKey);
	} catch (error) {
		if (error instanceof ArchiveFault || error instanceof ObjectGoneError) return [];
		throw error;
	}
}

/** A signature, as it is stored. */
export interface SignedWork {
	readonly submissionId: string;
	readonly agentId: string;
	readonly artifactSha256: string | null;
	readonly shingles: number;
	readonly minima: string;
}

function toComparable({ shingles, minima, artifactSha256 }: SignedWork): Comparable {
	return { signature: { shingles, minima: decodeMinima(minima) }, artifactSha256 };
}

/**
 * Groups submissions whose artifacts are nearly identical, transitively. Every id is in exactly one group. An id that is
 * like no other, or that has no signature, is a group of its own.
 *
 * @param submissionIds Different ids, some thousand at most.
 * @param rows The signatures of those that have one.
 */
export function groupSigned(submissionIds: readonly string[], rows: readonly SignedWork[]): string[][] {
	const rowsById = new Map(rows.map((row) => [row.submissionId, row]));
	const signed = submissionIds.flatMap((id) => rowsById.get(id) ?? []);
	const pairs = findPairs(signed.map(toComparable), rules.NEAR_IDENTICAL_FROM);
	const groups = rules.groupConnected(signed.length, pairs).map((group) => group.flatMap((index) => signed[index]?.submissionId ?? []));
	return [...groups, ...submissionIds.filter((id) => !rowsById.has(id)).map((id) => [id])];
}

/** {@link groupSigned} for submissions in the tables. */
export async function groupNearIdentical(deps: Deps, submissionIds: readonly string[]): Promise<string[][]> {
	return groupSigned(submissionIds, await store.selectSignatures(deps, submissionIds));
}

/** Submissions that are compared, the newest of a task. */
export const MAX_COMPARED = 10_000;

const similarCursor = z.tuple([z.number(), z.literal([0, 1]), uuid, uuid]);

interface SimilarPage {
	readonly limit: number;
	readonly cursor?: string | undefined;
}

/** A page of the pairs of a task's submissions that are alike, for its owner. Contract: additions, "Similar work". */
export function listSimilar(ctx: Ctx, taskId: string, page: SimilarPage) {
	return viewSimilar(page, async () => {
		const { task, rows } = await store.findTaskSignatures(ctx, taskId, MAX_COMPARED);
		if (task === null || !canSeeTask(task, ctx.actor.agentId)) throw taskNotFound();
		assertOwner(task, ctx.actor.agentId);
		return rows;
	});
}

/**
 * A page of the pairs that are alike.
 *
 * @param read The signatures, newest first.
 * @throws AppError `VALIDATION_ERROR` for a cursor of another list, before anything is read.
 */
export async function viewSimilar({ limit, cursor }: SimilarPage, read: () => Promise<readonly SignedWork[]>) {
	const after = decodeCursor(cursor, similarCursor);
	const rows = await read();
	const pairs = findPairs(rows.map(toComparable), rules.SHOWN_FROM).flatMap((pair) => toShown(rows, pair));
	const place =
		after === null ? null : { similarity: after[0], isSameAgent: after[1] === 1, submissionId: after[2], otherSubmissionId: after[3] };
	const following = place === null ? pairs : pairs.filter((pair) => rules.comparePairs(pair, place) > 0);
	const page = pageRows(following.toSorted(rules.comparePairs), limit, (last) =>
		encodeCursor([last.similarity, Number(last.isSameAgent), last.submissionId, last.otherSubmissionId]),
	);
	return { data: page.rows.map(viewPair), pagination: page.pagination };
}

function toShown(rows: readonly SignedWork[], { first, second, similarity }: rules.Pair): rules.ShownPair[] {
	const [a, b] = [rows[first], rows[second]];
	if (a === undefined || b === undefined) return [];
	const isSameAgent = a.agentId === b.agentId;
	return [
		{ submissionId: a.submissionId, otherSubmissionId: b.submissionId, similarity: Math.round(similarity * 1000) / 1000, isSameAgent },
	];
}

function viewPair({ submissionId, otherSubmissionId, similarity, isSameAgent }: rules.ShownPair) {
	return { submission_id: submissionId, other_submission_id: otherSubmissionId, similarity, same_agent: isSameAgent };
}
