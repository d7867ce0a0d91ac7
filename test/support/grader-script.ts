// Tests tell the grader server of support/grader-server.ts what to do, and it reports to them.
import { inject } from "vitest";
import type { GradingRequest, GradingResult } from "../../src/ports/grading.ts";

export const GRADER_TOKEN = "a-token-of-the-scripted-grader";

/** Steps for each kind of call in turn; the last one stays. */
export interface GraderScript {
	readonly submit?: readonly GraderStep[];
	readonly find?: readonly GraderStep[];
	readonly stop?: readonly GraderStep[];
	/** The response to an image at publish. */
	readonly resolve?: readonly GraderStep[];
}

export type GraderStep =
	| { readonly kind: "status"; readonly status: number; readonly body?: unknown }
	/** A body as it stands. */
	| { readonly kind: "raw"; readonly body: string }
	/** JSON of at least so many bytes. */
	| { readonly kind: "big"; readonly bytes: number }
	/** Breaks the connection off in the middle of the body. */
	| { readonly kind: "cut" }
	/** Never answers. */
	| { readonly kind: "hang" };

export interface GraderCall {
	readonly call: keyof GraderScript;
	readonly jobId: string;
	/** The response to a submit. */
	readonly request: GradingRequest | null;
	/** The response to a resolve. */
	readonly image: string | null;
}

export interface ScriptedGrader {
	/** Value for GRADER_URL. */
	readonly url: string;
	/** Returns the requests so far. */
	seen(): Promise<GraderCall[]>;
}

/** Puts up a script at the grader server. */
export async function scriptGrader(script: GraderScript, server: string = inject("graderServer")): Promise<ScriptedGrader> {
	const response = await fetch(`${server}/scripts`, { method: "POST", body: JSON.stringify({ ...script, token: GRADER_TOKEN }) });
	const { id } = await response.json<{ id: string }>();
	const url = `${server}/scripts/${id}`;
	return { url, seen: async () => (await fetch(url)).json() };
}

export const RUNNING: GraderStep = { kind: "status", status: 200, body: { state: "running", progress: "Running.", result: null } };

/** Returns an image reference that means this content. */
export function resolved(digest: string = DIGEST): GraderStep {
	return { kind: "status", status: 200, body: { state: "resolved", digest } };
}

/** Returns a job that is done. */
export function done(change: Partial<GradingResult> = {}): GraderStep {
	return { kind: "status", status: 200, body: { id: "any", state: "done", progress: "Done.", result: gradingResult(change) } };
}

export const DIGEST = `sha256:${"ab".repeat(32)}`;

/** Returns a result as a grader gives it for a score of 80. */
export function gradingResult(change: Partial<GradingResult> = {}): GradingResult {
	return {
		outcome: "graded",
		message: "",
		image_digest: DIGEST,
		test_score: 80,
		container_score: 80,
		dimensions: [],
		tests: [],
		breakdown: null,
		output: "the image's output",
		notes: "",
		...change,
	};
}

/** Returns a result without a score. */
export function ended(outcome: Exclude<GradingResult["outcome"], "graded">, change: Partial<GradingResult> = {}): GraderStep {
	const score = outcome === "submission_invalid" ? 0 : null;
	return done({ outcome, message: `The image met its ${outcome}.`, test_score: score, container_score: score, ...change });
}
