// Signs receipts, and lists the keys that verify them. A receipt is the signed record of an evaluation (docs/pages/judging/receipts.mdx).
import type { EvaluationRow } from "../../db/task/schema/submissions.ts";

import { RECEIPT_TYPE, type ReceiptClaims } from "../../domain/receipts.ts";
import { canonicalRubric } from "../../domain/task-digest.ts";
import { HOUR_MS, SECOND_MS } from "../../platform/clock.ts";
import { sha256Hex } from "../../platform/crypto.ts";
import { deriveSigningKey, describePublicKey, type PublicJwk, type SigningKey, signJws } from "../../platform/jws.ts";
import type { Deps } from "../../ports/deps.ts";
import { listReceiptKey, selectReceiptKeys } from "./store.ts";
import type { EvaluationCriterion, EvaluationTask } from "./work.ts";

const PURPOSE = "evaluation-receipts";

/** The part of an evaluation that the claims of a receipt contain. */
export type ReceiptEvaluation = Pick<
	EvaluationRow,
	| "id"
	| "submissionId"
	| "round"
	| "artifactSha256"
	| "judge"
	| "confirmedBy"
	| "promptVersion"
	| "temperature"
	| "imageDigest"
	| "finalScore"
	| "testScore"
	| "llmScore"
	| "containerScore"
	| "samples"
	| "createdAt"
> & {
	readonly models: readonly string[];
	readonly dimensions: readonly { readonly criterion: string; readonly score: number }[];
};

/** The part of a task that the claims of a receipt contain. */
interface ReceiptTask {
	readonly task: Pick<EvaluationTask, "id" | "isTest" | "taskSha256" | "testWeight" | "llmWeight">;
	readonly criteria: readonly Pick<
		EvaluationCriterion,
		"name" | "description" | "weight" | "position" | "checks" | "evidence" | "wholeChecks"
	>[];
}

const listedKeys = new Set<string>();

/** Makes the next receipt list its key again. Call it after the database was emptied or restored, which may have removed the key. */
export function forgetListedKeys(): void {
	listedKeys.clear();
}

/**
 * Signs the receipt of an evaluation that is about to be stored. The key is derived from `SECRETS_KEY`, so all isolates use the same key.
 * The key is listed before this returns, so that no receipt is visible before its key.
 */
export async function issueReceipt(deps: Deps, evaluation: ReceiptEvaluation, work: ReceiptTask): Promise<string> {
	const signingKey = await currentKey(deps);
	const { kid, x } = signingKey.publicJwk;
	const receipt = await signJws(signingKey, { typ: RECEIPT_TYPE, claims: await claimsOf(evaluation, work) });
	if (!listedKeys.has(kid)) {
		await listReceiptKey(deps, { kid, x });
		listedKeys.add(kid);
	}
	return receipt;
}

async function claimsOf(evaluation: ReceiptEvaluation, { task, criteria }: ReceiptTask): Promise<ReceiptClaims> {
	if (task.taskSha256 === null) throw new Error("Only evaluations for published tasks have receipts.");
	const rubric = criteria.map(({ wholeChecks, ...criterion }) => ({ ...criterion, whole_checks: wholeChecks }));
	return {
		submission_id: evaluation.submissionId,
		task_id: task.id,
		task_sha256: task.taskSha256,
		evaluation_id: evaluation.id,
		round: evaluation.round,
		artifact_sha256: evaluation.artifactSha256,
		rubric_sha256: await sha256Hex(canonicalRubric(rubric)),
		weights: Object.fromEntries(criteria.map(({ name, weight }) => [name, weight])),
		mode_weights: { test: task.testWeight, llm: task.llmWeight },
		judge: evaluation.judge,
		models: evaluation.models,
		confirmed_by: evaluation.confirmedBy,
		prompt_version: evaluation.promptVersion,
		temperature: evaluation.temperature,
		image_digest: evaluation.imageDigest,
		samples: evaluation.samples,
		scores: {
			final: evaluation.finalScore,
			test: evaluation.testScore,
			llm: evaluation.llmScore,
			container: evaluation.containerScore,
			criteria: Object.fromEntries(evaluation.dimensions.map(({ criterion, score }) => [criterion, score])),
		},
		...(task.isTest ? { test: true } : {}),
		iat: Math.floor(evaluation.createdAt / SECOND_MS),
	};
}

/** A key verifies receipts that were issued between `nbf` and `exp`, in seconds since the epoch. */
interface ReceiptKey extends PublicJwk {
	readonly nbf: number;
	/** Set only for a key that no longer signs receipts. */
	readonly exp?: number;
}

/**
 * After a rotation, isolates of the previous version may still sign with the old key for this time. Isolates' clocks differ by less.
 */
const OVERLAP_MS = HOUR_MS;

/** Lists every key that verifies receipts: first the current one, then those of earlier values of `SECRETS_KEY`. */
export async function listReceiptKeys(deps: Deps): Promise<ReceiptKey[]> {
	const [{ publicJwk }, used] = await Promise.all([currentKey(deps), selectReceiptKeys(deps)]);
	const earlier = used.filter(({ id }) => id !== publicJwk.kid);
	const listedAt = used.find(({ id }) => id === publicJwk.kid)?.createdAt ?? deps.clock.now();
	const retired = earlier.map(async ({ x, createdAt }): Promise<ReceiptKey> => {
		const successors = used.filter((other) => other.createdAt > createdAt);
		const retiredAt = Math.min(...successors.map((other) => other.createdAt));
		const key = { ...(await describePublicKey(x)), nbf: beginOf(createdAt, used) };
		return successors.length === 0 ? key : { ...key, exp: Math.ceil((retiredAt + OVERLAP_MS) / SECOND_MS) };
	});
	return [{ ...publicJwk, nbf: beginOf(listedAt, used) }, ...(await Promise.all(retired))];
}

/**
 * Returns the `nbf` of a key. It is 0 for the oldest key, because its earlier receipts would otherwise no longer verify after the list
 * was lost and written again.
 */
function beginOf(listedAt: number, used: readonly { readonly createdAt: number }[]): number {
	const isFirst = used.every(({ createdAt }) => createdAt >= listedAt);
	return isFirst ? 0 : Math.floor((listedAt - OVERLAP_MS) / SECOND_MS);
}

const signingKeys = new WeakMap<Deps["config"], SigningKey>();

/** Derives the key once per isolate, because an isolate parses its configuration only once. */
async function currentKey({ config }: Deps): Promise<SigningKey> {
	const signingKey = signingKeys.get(config);
	if (signingKey !== undefined) return signingKey;
	const derived = await deriveSigningKey(config.keys.current, PURPOSE);
	signingKeys.set(config, derived);
	return derived;
}
