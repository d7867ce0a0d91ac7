// Verifies a receipt without files and without network. `npm run verify` also uses this.
import { canonicalJson, type JsonValue } from "../../../../src/domain/canonical-json.ts";
import { spreadOfSamples } from "../../../../src/domain/checks.ts";
import type { ReceiptClaims } from "../../../../src/domain/receipts.ts";
import { roundScore } from "../../../../src/domain/scores.ts";
import { canonicalRubric } from "../../../../src/domain/task-digest.ts";
import { VerificationError } from "../core/errors.ts";
import {
	claimsSchema,
	evaluationSchema,
	type FixedTaskFields,
	fixedTaskSchema,
	keySetSchema,
	type ListedEvaluation,
	parseAs,
} from "./claims.ts";
import { recompute } from "./recompute.ts";
import { readSigned } from "./signature.ts";
import { checkTask, hashText } from "./verify-task.ts";

/** Additional material to compare a receipt with. */
export interface ReceiptMaterial {
	/** The task's detail or its public view, as parsed JSON, to check that it is the one that was signed. */
	readonly task?: unknown;
	/** The hex SHA-256 of the submitted zip, to check that it is the one that was judged. */
	readonly artifactSha256?: string;
}

export interface VerifiedReceipt {
	readonly claims: ReceiptClaims;
	/** The scores that were computed again from samples and weights. */
	readonly recomputed: readonly string[];
	/** The scores that only their source can know. */
	readonly taken: readonly string[];
}

/**
 * Checks a receipt offline: the signature, that the element of the evaluations list says what was signed, and that the scores follow
 * from samples and weights.
 *
 * @param evaluation An element of the evaluations list.
 * @param jwks The platform's key set, from `client.getReceiptKeys()` or a copy of it.
 * @throws VerificationError that names everything that differs.
 */
export async function verifyReceipt(evaluation: unknown, jwks: unknown, material: ReceiptMaterial = {}): Promise<VerifiedReceipt> {
	const listed = parseAs(evaluationSchema, evaluation, "The file is not an element of the evaluations list");
	const keys = parseAs(keySetSchema, jwks, "The keys are not a JSON Web Key Set");
	const claims = parseAs(claimsSchema, await readSigned(listed.receipt, keys), "The receipt does not have the claims of a receipt");
	const { faults, ...extent } = recompute(claims);
	const all = [...differences(listed, claims), ...faults, ...(await foreignFaults(claims, material))];
	if (all.length > 0) throw new VerificationError(all.join("\n"));
	return { claims, ...extent };
}

/** Returns a sentence for each field of the element that differs from the receipt. */
function differences(evaluation: ListedEvaluation, claims: ReceiptClaims): string[] {
	const { scores, weights } = claims;
	const byName = <Value>(of: (dimension: ListedEvaluation["dimensions"][number]) => Value) =>
		Object.fromEntries(evaluation.dimensions.map((dimension) => [dimension.criterion_name, of(dimension)]));
	const weightsOfDimensions = Object.fromEntries(evaluation.dimensions.map(({ criterion_name: name }) => [name, weights[name] ?? null]));
	// If the criteria that only the final round judges are missing, the weights of the others make up the whole.
	const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
	const rescaled = Object.fromEntries(Object.entries(weights).map(([name, weight]) => [name, (weight * 100) / total]));
	const spread = spreadOfSamples({ samples: claims.samples, weights: rescaled, share: claims.mode_weights.llm });
	const pairs: readonly (readonly [name: string, shown: JsonValue, signed: JsonValue])[] = [
		["id", evaluation.id, claims.evaluation_id],
		["round", evaluation.round, claims.round],
		["final_score", evaluation.final_score, scores.final],
		["test_score", evaluation.test_score, scores.test],
		["llm_score", evaluation.llm_score, scores.llm],
		["container_score", evaluation.container_score, scores.container],
		["the scores of dimensions", byName(({ score }) => score), scores.criteria],
		["the weights of dimensions", byName(({ weight }) => weight), weightsOfDimensions],
		["samples", plain(evaluation.samples), plain(claims.samples)],
		["judge", evaluation.judge, claims.judge],
		["models", evaluation.models, claims.models],
		["confirmed_by", evaluation.confirmed_by, claims.confirmed_by],
		["prompt_version", evaluation.prompt_version, claims.prompt_version],
		["image_digest", evaluation.image_digest, claims.image_digest],
		["artifact_sha256", evaluation.artifact_sha256, claims.artifact_sha256],
		["spread", evaluation.spread, spread === null ? null : roundScore(spread)],
		// The clock of a test task may be ahead, and its receipts are issued at the real time.
		...(claims.test ? [] : [["created_at, in seconds", Math.floor(Date.parse(evaluation.created_at) / 1000), claims.iat] as const]),
		["the number of dimensions", evaluation.dimensions.length, Object.keys(scores.criteria).length],
	];
	return pairs.flatMap(([name, shown, signed]) => compare(name, canonicalJson(shown), canonicalJson(signed)));
}

function plain(samples: ReceiptClaims["samples"]): JsonValue {
	return Object.fromEntries(
		Object.entries(samples).map(([name, records]) => [
			name,
			records.map(({ model, found, score }) => ({ model, found: [...found], score })),
		]),
	);
}

function compare(name: string, shown: string, signed: string): string[] {
	return shown === signed ? [] : [`The file says ${shown} for ${name}; the receipt says ${signed}.`];
}

/** Returns a sentence for each file of the caller that differs from what the receipt signs. */
async function foreignFaults(claims: ReceiptClaims, { task, artifactSha256 }: ReceiptMaterial): Promise<string[]> {
	const faults: string[] = [];
	if (artifactSha256 !== undefined && artifactSha256 !== claims.artifact_sha256) {
		faults.push(`The artifact's SHA-256 is ${artifactSha256}; the receipt says ${claims.artifact_sha256}.`);
	}
	return task === undefined ? faults : [...faults, ...(await taskFaults(claims, task))];
}

async function taskFaults(claims: ReceiptClaims, given: unknown): Promise<string[]> {
	const parsed = fixedTaskSchema().safeParse(given);
	if (!parsed.success) return ["The task's file is not the detail of a task."];
	const { digest, faults } = await checkTask(parsed.data);
	const isSigned = digest === claims.task_sha256;
	const differs = isSigned ? [] : [`The task's SHA-256 is ${digest}; the receipt says ${claims.task_sha256}.`];
	return [...faults, ...differs, ...(await rubricFaults(claims, parsed.data))];
}

/** An ordinary evaluation does not judge the criteria that are hidden until the final round has ended. */
async function rubricFaults(claims: ReceiptClaims, { criteria }: FixedTaskFields): Promise<string[]> {
	const judged = criteria.filter(({ name }) => Object.hasOwn(claims.weights, name));
	if (
		judged.length < Object.keys(claims.weights).length &&
		criteria.some(({ commitment, salt }) => commitment !== undefined && salt === undefined)
	) {
		return ["The receipt is about criteria that this copy of the task hides. Read the task again after its final round."];
	}
	const digest = await hashText(canonicalRubric(judged));
	return digest === claims.rubric_sha256 ? [] : [`The rubric's SHA-256 is ${digest}; the receipt says ${claims.rubric_sha256}.`];
}
