// Tests tell the judge server of support/judge-server.ts what to do, and it reports to them.
import { inject } from "vitest";

export interface JudgeScript {
	/** The first that fits a call answers it. */
	readonly rules: readonly JudgeRule[];
}

export interface JudgeRule {
	readonly model?: string;
	/** Text that the user message holds, such as the name of a criterion. */
	readonly contains?: string;
	/** Text that the user message does not hold. */
	readonly lacks?: string;
	/** One for each call in turn; the last one stays. */
	readonly steps: readonly JudgeStep[];
}

interface Quote {
	readonly path: string;
	readonly start: number;
	readonly end: number;
	readonly quote: string;
}

export type JudgeStep = { readonly afterMs?: number } & (
	| { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: unknown }
	/** Breaks the connection off in the middle of the body. */
	| { readonly kind: "cut" }
	/** Sends headers and never the rest. */
	| { readonly kind: "drip" }
	/** A body as it stands. */
	| { readonly kind: "raw"; readonly body: string }
	/** A completion with this text. */
	| { readonly kind: "content"; readonly content: string }
	/** A completion with an answer of the schema; "honest" quotes a line that is there. */
	| { readonly kind: "answer"; readonly answer?: Readonly<Record<string, unknown>>; readonly quote?: "honest" | Quote }
	/** The model declines. */
	| { readonly kind: "refuse" }
	/** The provider withholds the reply: before it was generated, as status 400, or afterwards. */
	| { readonly kind: "filter"; readonly as: "status" | "ending" }
	/** An honest answer around a level, with a deviation in levels; equal seeds and calls give equal noise. */
	| { readonly kind: "noise"; readonly level: number; readonly deviation: number; readonly seed: number }
	/** Does what the submission says. */
	| { readonly kind: "obey" }
	/** Honest and noisy, but silent where it would give less than a level, if the submission asks for that. */
	| { readonly kind: "obey_silence"; readonly level: number; readonly deviation: number; readonly seed: number; readonly fromLevel: number }
);

export interface RecordedCall {
	readonly authorization: string | null;
	readonly body: { readonly model: string; readonly [field: string]: unknown };
	readonly system: string;
	readonly user: string;
}

export interface ScriptedJudge {
	/** Value for JUDGE_BASE_URL. */
	readonly baseUrl: string;
	/** Returns the requests so far, and the most that were open at once. */
	seen(): Promise<{ readonly calls: readonly RecordedCall[]; readonly mostAtOnce: number }>;
}

/** Puts up a script at the judge server. */
export async function scriptJudge(rules: readonly JudgeRule[], server: string = inject("judgeServer")): Promise<ScriptedJudge> {
	const response = await fetch(`${server}/scripts`, { method: "POST", body: JSON.stringify({ rules }) });
	const { id } = await response.json<{ id: string }>();
	return {
		baseUrl: `${server}/scripts/${id}/v1`,
		seen: async () => (await fetch(`${server}/scripts/${id}`)).json(),
	};
}

/** Returns an honest judge's answer at a level. */
export function honest(level: number): JudgeStep {
	return { kind: "answer", quote: "honest", answer: { level } };
}
