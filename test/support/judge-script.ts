// Tests send scripts to the judge server of support/judge-server.ts, and read its records.
import { inject } from "vitest";

export interface JudgeScript {
	/** The first rule that fits a call decides the response. */
	readonly rules: readonly JudgeRule[];
}

export interface JudgeRule {
	readonly model?: string;
	/** The user message contains this text, such as the name of a criterion. */
	readonly contains?: string;
	/** The user message does not contain this text. */
	readonly lacks?: string;
	/** Each call plays one step in turn, and then repeats the last one. */
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
	/** Cuts the connection in the middle of the body. */
	| { readonly kind: "cut" }
	/** Sends headers and never the rest. */
	| { readonly kind: "drip" }
	/** The body is sent unchanged. */
	| { readonly kind: "raw"; readonly body: string }
	/** The completion contains this text. */
	| { readonly kind: "content"; readonly content: string }
	/** The completion contains a judgement by the schema. "honest" quotes an existing line. */
	| { readonly kind: "answer"; readonly answer?: Readonly<Record<string, unknown>>; readonly quote?: "honest" | Quote }
	/** The model declines. */
	| { readonly kind: "refuse" }
	/** The provider withholds the reply: before it was generated, as status 400, or afterwards. */
	| { readonly kind: "filter"; readonly as: "status" | "ending" }
	/** The judgement is honest around a level, with a deviation in levels. Equal seeds and calls give equal noise. */
	| { readonly kind: "noise"; readonly level: number; readonly deviation: number; readonly seed: number }
	/** Does what the submission says. */
	| { readonly kind: "obey" }
	/** Is honest and noisy, but silent below a level, if the submission asks for that. */
	| { readonly kind: "obey_silence"; readonly level: number; readonly deviation: number; readonly seed: number; readonly fromLevel: number }
);

export interface RecordedCall {
	readonly authorization: string | null;
	readonly body: { readonly model: string; readonly [field: string]: unknown };
	readonly system: string;
	readonly user: string;
}

export interface ScriptedJudge {
	/** This is the value for JUDGE_BASE_URL. */
	readonly baseUrl: string;
	/** Returns the requests so far, and the most that were open at once. */
	seen(): Promise<{ readonly calls: readonly RecordedCall[]; readonly mostAtOnce: number }>;
}

/** Sends a script to the judge server. */
export async function scriptJudge(rules: readonly JudgeRule[], server: string = inject("judgeServer")): Promise<ScriptedJudge> {
	const response = await fetch(`${server}/scripts`, { method: "POST", body: JSON.stringify({ rules }) });
	const { id } = await response.json<{ id: string }>();
	return {
		baseUrl: `${server}/scripts/${id}/v1`,
		seen: async () => (await fetch(`${server}/scripts/${id}`)).json(),
	};
}

/** Returns an honest judge's step at a level. */
export function honest(level: number): JudgeStep {
	return { kind: "answer", quote: "honest", answer: { level } };
}
