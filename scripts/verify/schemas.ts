// What `npm run verify` reads: an element of the evaluations list, a key set, and what a receipt says.
import * as z from "zod";
import { EVALUATION_ROUNDS, type SampleRecord } from "../../src/domain/evaluation-rounds.ts";

/** A record by names that posters choose. zod's own records drop the name `__proto__`. */
function byName<Value>(value: z.ZodType<Value>) {
	return z
		.custom<Readonly<Record<string, unknown>>>((input) => typeof input === "object" && input !== null && !Array.isArray(input))
		.transform((input) => Object.entries(input))
		.pipe(z.array(z.tuple([z.string(), value])))
		.transform((entries): Record<string, Value> => Object.fromEntries(entries));
}

const sample: z.ZodType<SampleRecord> = z.object({ model: z.string(), level: z.number().nullable(), score: z.number() });
const round = z.enum(EVALUATION_ROUNDS);
const score = z.number().nullable();

const shared = {
	round,
	artifact_sha256: z.string().nullable(),
	judge: z.string(),
	models: z.array(z.string()),
	prompt_version: z.string().nullable(),
	image_digest: z.string().nullable(),
	samples: byName(z.array(sample).min(1)),
};

export const evaluationSchema = z.object({
	...shared,
	id: z.string(),
	final_score: z.number(),
	test_score: score,
	llm_score: score,
	container_score: score,
	dimensions: z.array(z.object({ criterion_name: z.string(), weight: z.number(), score: z.number() })),
	spread: z.number().nullable(),
	created_at: z.iso.datetime({ precision: 3 }),
	receipt: z.string(),
});

export type ListedEvaluation = z.output<typeof evaluationSchema>;

export const claimsSchema = z.strictObject({
	...shared,
	submission_id: z.string(),
	task_id: z.string(),
	evaluation_id: z.string(),
	rubric_sha256: z.string(),
	weights: byName(z.number()),
	mode_weights: z.object({ test: z.number(), llm: z.number() }),
	scores: z.object({ final: z.number(), test: score, llm: score, container: score, criteria: byName(z.number()) }),
	iat: z.number(),
});

export type Claims = z.output<typeof claimsSchema>;

export const keySetSchema = z.object({
	keys: z.array(z.object({ kty: z.string(), kid: z.string(), crv: z.string().optional(), x: z.string().optional() })),
});

export type KeySet = z.output<typeof keySetSchema>;

export const taskSchema = z.object({
	criteria: z.array(z.object({ name: z.string(), description: z.string().nullable(), weight: z.number(), position: z.number() })),
});
