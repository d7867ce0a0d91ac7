// What a verification reads: an element of the evaluations list, a key set, and what a receipt says.
import { EVALUATION_ROUNDS } from "../../../../src/domain/evaluation-rounds.ts";
import { byName, list, nullable, number, object, oneOf, optional, type Shape, text, textLike } from "../core/shape.ts";

/** What one judge gave for one criterion. */
export interface ReceiptSample {
	readonly model: string;
	/** 0..5; null from a judge that gives no levels. */
	readonly level: number | null;
	/** 0..100. */
	readonly score: number;
}

/** What a receipt signs. */
export interface ReceiptClaims {
	readonly submission_id: string;
	readonly task_id: string;
	readonly evaluation_id: string;
	readonly round: "submission" | "re_evaluation" | "final";
	readonly artifact_sha256: string | null;
	readonly rubric_sha256: string;
	/** Percent, by name of the criterion. */
	readonly weights: Readonly<Record<string, number>>;
	readonly mode_weights: { readonly test: number; readonly llm: number };
	readonly judge: string;
	readonly models: readonly string[];
	readonly prompt_version: string | null;
	readonly image_digest: string | null;
	readonly samples: Readonly<Record<string, readonly ReceiptSample[]>>;
	readonly scores: {
		readonly final: number;
		readonly test: number | null;
		readonly llm: number | null;
		readonly container: number | null;
		readonly criteria: Readonly<Record<string, number>>;
	};
	/** When the evaluation was written, in seconds since 1970. */
	readonly iat: number;
}

const score = nullable(number);
const shared = {
	round: oneOf(EVALUATION_ROUNDS),
	artifact_sha256: nullable(text),
	judge: text,
	models: list(text),
	prompt_version: nullable(text),
	image_digest: nullable(text),
	samples: byName(list(object({ model: text, level: nullable(number), score: number }), 1)),
};

export const evaluationShape = object({
	...shared,
	id: text,
	final_score: number,
	test_score: score,
	llm_score: score,
	container_score: score,
	dimensions: list(object({ criterion_name: text, weight: number, score: number })),
	spread: nullable(number),
	created_at: textLike(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
	receipt: text,
});

export type ListedEvaluation = ReturnType<typeof evaluationShape>;

export const claimsShape: Shape<ReceiptClaims> = object(
	{
		...shared,
		submission_id: text,
		task_id: text,
		evaluation_id: text,
		rubric_sha256: text,
		weights: byName(number),
		mode_weights: object({ test: number, llm: number }),
		scores: object({ final: number, test: score, llm: score, container: score, criteria: byName(number) }),
		iat: number,
	},
	{ isExact: true },
);

export const keySetShape = object({ keys: list(object({ kty: text, kid: text, crv: optional(text), x: optional(text) })) });

export type KeySet = ReturnType<typeof keySetShape>;

export const taskShape = object({
	criteria: list(object({ name: text, description: nullable(text), weight: number, position: number })),
});
