// An attempt passes its replies to the next attempt as JSON, call by call.
import * as z from "zod";
import { FINDINGS } from "../../../domain/checks.ts";
import { randomBytes } from "../../../platform/crypto.ts";

const MARK_LENGTH = 4;
const MARK_LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

/** Draws a random mark. A submission cannot contain it on purpose, because its artifact is already fixed. It is short to save tokens. */
function drawMark(): string {
	return Array.from(randomBytes(MARK_LENGTH), (byte) => MARK_LETTERS[byte % MARK_LETTERS.length]).join("");
}

const proof = z.object({ path: z.string(), start: z.number(), end: z.number(), offset: z.number(), quote: z.string() });

const answer = z.object({
	found: z.enum(FINDINGS),
	proofs: z.array(proof),
	/**
	 * Why the platform lowered the answer. `unproven`: none of its quotes is in the files. `silent`: the model gave no answer, but answered
	 * the control. `unconfirmed`: the confirmation found less. Null if the answer is the model's own.
	 */
	cause: z.enum(["unproven", "silent", "unconfirmed"]).nullable(),
	/** True once a confirmation has decided about the answer, or if the answer needs none. */
	isSettled: z.boolean(),
});

/** The progress of one question. */
const asking = z.object({
	/** The number of times that the question was asked. */
	asked: z.number(),
	/** How many calls since the last ask have ended before their first token although the control was answered. */
	unheard: z.number(),
	/** True if the call ended before its first token, and the attempt then had no time left to ask the control. */
	owesControl: z.boolean(),
	/** `note` is sent with the next ask, and `patience` is the factor for the limit of its reply. */
	note: z.enum(["unreadable", "unproven"]).nullable(),
	patience: z.number(),
	/** True if the question got no usable reply and the control was answered, so that it is not asked again. */
	isLost: z.boolean(),
});

const call = z.object({
	/** The answers, by the position of their check. */
	answers: z.record(z.string(), answer),
	gaps: z.array(z.string()),
	reasoning: z.string(),
	isInjectionSuspected: z.boolean(),
	claimed: z.number(),
	real: z.number(),
	checks: asking,
	confirmation: asking,
	isDone: z.boolean(),
});

const sample = z.object({
	/** The model of all calls in the sample. */
	model: z.string(),
	/** The calls, by their place in the rubric. */
	calls: z.record(z.string(), call),
});

const keptSchema = z.object({
	/** Identifies the judge and the form of the request. Replies count only if neither has changed. */
	basis: z.string(),
	mark: z.string(),
	samples: z.array(sample.nullable()),
	cutFiles: z.array(z.object({ path: z.string(), linesRead: z.number(), lines: z.number() })),
});

export type Kept = z.output<typeof keptSchema>;
export type KeptSample = z.output<typeof sample>;
export type KeptCall = z.output<typeof call>;
export type KeptAnswer = z.output<typeof answer>;
export type Asking = z.output<typeof asking>;

/**
 * Reads the replies of an earlier attempt. Starts over with a new mark if there are none, or if they belong to another judge or another
 * form of the request.
 */
export function readKept(value: unknown, basis: string): Kept {
	const parsed = keptSchema.safeParse(value);
	if (parsed.success && parsed.data.basis === basis) return parsed.data;
	return { basis, mark: drawMark(), samples: [], cutFiles: [] };
}

export function newCall(): KeptCall {
	return {
		answers: {},
		gaps: [],
		reasoning: "",
		isInjectionSuspected: false,
		claimed: 0,
		real: 0,
		checks: newAsking(),
		confirmation: newAsking(),
		isDone: false,
	};
}

function newAsking(): Asking {
	return { asked: 0, unheard: 0, owesControl: false, note: null, patience: 1, isLost: false };
}
