// Sends a test's scripts to the judge server of support/judge-server.ts, and reads what it recorded.
import { inject } from "vitest";
import type { Finding } from "../../src/domain/checks.ts";

export interface JudgeScript {
	/** The first rule that fits a call decides the response. A confirmation that no rule is about is answered with yes. */
	readonly rules: readonly JudgeRule[];
}

export interface JudgeRule {
	readonly model?: string;
	/** Text that the user message must contain, such as the name of a criterion. */
	readonly contains?: string;
	/** Whether the rule is for calls that confirm quotes, or for the others. Default: the others. */
	readonly form?: "confirmation" | "checks";
	/** Text that the user message must not contain. */
	readonly lacks?: string;
	/** Each call plays one step in turn, and then repeats the last one. */
	readonly steps: readonly JudgeStep[];
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
	/**
	 * All checks are answered with this word. A yes or a partly comes with a quote from the submission. `answer` replaces parts of the reply.
	 */
	| { readonly kind: "answer"; readonly found: Finding; readonly answer?: Readonly<Record<string, unknown>> }
	/** The model declines. */
	| { readonly kind: "refuse" }
	/** The supplier withholds the reply: before it was generated, as status 400, or afterwards. */
	| { readonly kind: "filter"; readonly as: "status" | "ending" }
);

export interface RecordedCall {
	readonly authorization: string | null;
	readonly body: { readonly model: string; readonly messages: readonly { readonly content: string }[]; readonly [field: string]: unknown };
	readonly system: string;
	readonly user: string;
	readonly isConfirmation: boolean;
}

export interface ScriptedJudge {
	/** The value for JUDGE_BASE_URL. */
	readonly baseUrl: string;
	/** Returns the requests so far, and the largest number that were open at once. */
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

/** Returns the step of a model that answers all checks with this word, and quotes a line. */
export function honest(found: Finding = "yes"): JudgeStep {
	return { kind: "answer", found };
}
