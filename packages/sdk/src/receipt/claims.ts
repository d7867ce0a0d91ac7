// Schemas of what a verification reads: an element of the evaluations list, a key set, and the claims of a receipt.
import * as z from "zod/mini";
import { FINDINGS } from "../../../../src/domain/checks.ts";
import { EVALUATION_ROUNDS, EVIDENCE_KINDS } from "../../../../src/domain/evaluation-rounds.ts";
import { VerificationError } from "../core/errors.ts";
import { isRecord } from "../core/json.ts";

/** Parses an object whose keys others choose. `z.record` would drop a key that is named `__proto__`. */
function byName<Value>(value: z.ZodMiniType<Value>) {
	const entries = z.pipe(
		z.transform((given) => (isRecord(given) ? Object.entries(given) : null)),
		z.array(z.tuple([z.string(), value])),
	);
	return z.pipe(
		entries,
		z.transform((named) => Object.fromEntries(named)),
	);
}

// Schemas are created when they are needed, so that a bundler can leave them out.

const score = () => z.nullable(z.number());
const shared = () => ({
	round: z.enum(EVALUATION_ROUNDS),
	artifact_sha256: z.nullable(z.string()),
	judge: z.string(),
	models: z.array(z.string()),
	confirmed_by: z.nullable(z.string()),
	prompt_version: z.nullable(z.string()),
	image_digest: z.nullable(z.string()),
	samples: byName(z.array(z.object({ model: z.string(), found: z.array(z.enum(FINDINGS)), score: z.number() })).check(z.minLength(1))),
});

/** @internal */
export const evaluationSchema = () =>
	z.object({
		...shared(),
		id: z.string(),
		final_score: z.number(),
		test_score: score(),
		llm_score: score(),
		container_score: score(),
		dimensions: z.array(z.object({ criterion_name: z.string(), weight: z.number(), score: z.number() })),
		spread: z.nullable(z.number()),
		created_at: z.string().check(z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)),
		receipt: z.string(),
	});

/** @internal */
export type ListedEvaluation = z.infer<ReturnType<typeof evaluationSchema>>;

/** @internal */
export const claimsSchema = () =>
	z.strictObject({
		...shared(),
		temperature: z.nullable(z.number()),
		submission_id: z.string(),
		task_id: z.string(),
		task_sha256: z.string(),
		evaluation_id: z.string(),
		rubric_sha256: z.string(),
		weights: byName(z.number()),
		mode_weights: z.object({ test: z.number(), llm: z.number() }),
		scores: z.object({ final: z.number(), test: score(), llm: score(), container: score(), criteria: byName(z.number()) }),
		iat: z.number(),
		// Only in receipts of test tasks.
		test: z.exactOptional(z.literal(true)),
	});

/** @internal */
export const keySetSchema = () =>
	z.object({
		keys: z.array(
			z.object({
				kty: z.string(),
				kid: z.string(),
				crv: z.optional(z.string()),
				x: z.optional(z.string()),
				nbf: z.optional(z.number()),
				exp: z.optional(z.number()),
			}),
		),
	});

/** @internal */
export type KeySet = z.infer<ReturnType<typeof keySetSchema>>;

/** @internal */
export const fixedTaskSchema = () =>
	z.object({
		title: z.string(),
		description: z.nullable(z.string()),
		category: z.string(),
		input_spec: z.string(),
		output_spec: z.string(),
		eval_mode: z.nullable(z.string()),
		test_weight: z.number(),
		llm_weight: z.number(),
		criteria: z.array(
			z.object({
				name: z.string(),
				description: z.nullable(z.string()),
				weight: z.number(),
				position: z.number(),
				checks: z.array(z.string()),
				evidence: z.enum(EVIDENCE_KINDS),
				whole_checks: z.array(z.number()),
				commitment: z.optional(z.string()),
				salt: z.optional(z.string()),
			}),
		),
		judged_attachments: z.array(z.object({ field: z.string(), filename: z.string(), sha256: z.string() })),
		test_suite_sha256: z.nullable(z.string()),
		eval_image_digest: z.nullable(z.string()),
		task_sha256: z.nullable(z.string()),
	});

/** @internal */
export type FixedTaskFields = z.infer<ReturnType<typeof fixedTaskSchema>>;

/** @internal */
export type ShownCriterion = FixedTaskFields["criteria"][number];

/**
 * Returns the value with its type.
 *
 * @internal
 * @throws VerificationError that names the place of a fault.
 */
export function parseAs<Schema extends z.ZodMiniType>(schema: () => Schema, value: unknown, what: string): z.infer<Schema> {
	const parsed = schema().safeParse(value);
	if (parsed.success) return parsed.data;
	const [fault] = parsed.error.issues;
	const place = [...(fault?.path ?? []), ...(fault?.code === "unrecognized_keys" ? fault.keys : [])].map(String).join(".");
	throw new VerificationError(`${what}: ${place === "" ? "" : `${place}: `}${fault?.message ?? "it cannot be read"}`);
}
