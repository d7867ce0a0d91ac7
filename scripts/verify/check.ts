// Everything that `npm run verify` checks of an evaluation, without files and without network.
import { canonicalJson, type JsonValue } from "../../src/domain/canonical-json.ts";
import { canonicalRubric } from "../../src/domain/receipts.ts";
import { roundScore } from "../../src/domain/scores.ts";
import { finalScoreSpread } from "../../src/domain/spread.ts";
import { recompute } from "./recompute.ts";
import { type Claims, claimsSchema, evaluationSchema, keySetSchema, type ListedEvaluation, taskSchema } from "./schemas.ts";
import { readSigned, VerificationFault } from "./signature.ts";

interface Material {
	/** An element of the evaluations list, as parsed JSON. */
	readonly evaluation: unknown;
	/** A JSON Web Key Set, as parsed JSON. */
	readonly keys: unknown;
	/** The task's detail, as parsed JSON. */
	readonly task?: unknown;
	/** The hex SHA-256 of the artifact's file. */
	readonly artifactSha256?: string;
}

/**
 * Checks the signature, compares the element with what was signed, and computes the scores again.
 *
 * @throws VerificationFault that names everything that differs.
 */
export async function verifyReceipt(material: Material) {
	const evaluation = evaluationSchema.safeParse(material.evaluation);
	if (!evaluation.success) throw new VerificationFault(`The file is not an element of the evaluations list: ${whereOf(evaluation.error)}`);
	const keys = keySetSchema.safeParse(material.keys);
	if (!keys.success) throw new VerificationFault(`The keys are not a JSON Web Key Set: ${whereOf(keys.error)}`);
	const claims = claimsSchema.safeParse(await readSigned(evaluation.data.receipt, keys.data));
	if (!claims.success) throw new VerificationFault(`The receipt does not have the claims of a receipt: ${whereOf(claims.error)}`);
	const { faults, ...extent } = recompute(claims.data);
	const all = [...differences(evaluation.data, claims.data), ...faults, ...(await foreignFaults(claims.data, material))];
	if (all.length > 0) throw new VerificationFault(all.join("\n"));
	return { claims: claims.data, ...extent };
}

function whereOf({ issues: [issue] }: { readonly issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[] }) {
	return issue === undefined ? "" : `${issue.path.map(String).join(".")}: ${issue.message}`;
}

/** A sentence for each field of the element that is not what the receipt says. */
function differences(evaluation: ListedEvaluation, claims: Claims): string[] {
	const { scores, weights } = claims;
	const byName = <Value>(of: (dimension: ListedEvaluation["dimensions"][number]) => Value) =>
		Object.fromEntries(evaluation.dimensions.map((dimension) => [dimension.criterion_name, of(dimension)]));
	const weightsOfDimensions = Object.fromEntries(evaluation.dimensions.map(({ criterion_name: name }) => [name, weights[name] ?? null]));
	const spread = finalScoreSpread({ samples: claims.samples, weights, share: claims.mode_weights.llm });
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
		["prompt_version", evaluation.prompt_version, claims.prompt_version],
		["image_digest", evaluation.image_digest, claims.image_digest],
		["artifact_sha256", evaluation.artifact_sha256, claims.artifact_sha256],
		["spread", evaluation.spread, spread === null ? null : roundScore(spread)],
		["created_at, in seconds", Math.floor(Date.parse(evaluation.created_at) / 1000), claims.iat],
		["the number of dimensions", evaluation.dimensions.length, Object.keys(scores.criteria).length],
	];
	return pairs.flatMap(([name, shown, signed]) => compare(name, canonicalJson(shown), canonicalJson(signed)));
}

function plain(samples: Claims["samples"]): JsonValue {
	return Object.fromEntries(
		Object.entries(samples).map(([name, records]) => [name, records.map(({ model, level, score }) => ({ model, level, score }))]),
	);
}

function compare(name: string, shown: string, signed: string): string[] {
	return shown === signed ? [] : [`The file says ${shown} for ${name}; the receipt says ${signed}.`];
}

/** What the receipt says of other files that the caller has. */
async function foreignFaults(claims: Claims, { task, artifactSha256 }: Material): Promise<string[]> {
	const faults: string[] = [];
	if (artifactSha256 !== undefined && artifactSha256 !== claims.artifact_sha256) {
		faults.push(`The artifact's SHA-256 is ${artifactSha256}; the receipt says ${claims.artifact_sha256}.`);
	}
	if (task === undefined) return faults;
	const parsed = taskSchema.safeParse(task);
	if (!parsed.success) return [...faults, `The task's file is not the detail of a task: ${whereOf(parsed.error)}`];
	const digest = await sha256Hex(new TextEncoder().encode(canonicalRubric(parsed.data.criteria)));
	return digest === claims.rubric_sha256
		? faults
		: [...faults, `The rubric's SHA-256 is ${digest}; the receipt says ${claims.rubric_sha256}.`];
}

export async function sha256Hex(bytes: Uint8Array): Promise<string> {
	const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
	return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
