// Sends a test's scripts to the grader server of support/grader-server.ts, and reads what it recorded.
import { inject } from "vitest";
import type { GradingRequest, GradingResult } from "../../src/ports/grading.ts";

export const GRADER_TOKEN = "a-token-of-the-scripted-grader";

/** Each kind of call plays its steps in turn, and then repeats the last one. */
export interface GraderScript {
	readonly submit?: readonly GraderStep[];
	readonly find?: readonly GraderStep[];
	readonly stop?: readonly GraderStep[];
	/** What the grader responds about an image when its task is published. */
	readonly resolve?: readonly GraderStep[];
}

export type GraderStep =
	| { readonly kind: "status"; readonly status: number; readonly body?: unknown }
	/** The body is sent unchanged. */
	| { readonly kind: "raw"; readonly body: string }
	/** A response whose JSON has at least this many bytes. */
	| { readonly kind: "big"; readonly bytes: number }
	/** Cuts the connection in the middle of the body. */
	| { readonly kind: "cut" }
	/** Never responds. */
	| { readonly kind: "hang" };

export interface GraderCall {
	readonly call: keyof GraderScript;
	readonly jobId: string;
	/** Null unless the call submits a job. */
	readonly request: GradingRequest | null;
	/** Null unless the call resolves an image. */
	readonly image: string | null;
}

export interface ScriptedGrader {
	/** The value for GRADER_URL. */
	readonly url: string;
	/** Returns the requests so far. */
	seen(): Promise<GraderCall[]>;
}

/** Sends a script to the grader server. */
export async function scriptGrader(script: GraderScript, server: string = inject("graderServer")): Promise<ScriptedGrader> {
	const response = await fetch(`${server}/scripts`, { method: "POST", body: JSON.stringify({ ...script, token: GRADER_TOKEN }) });
	const { id } = await response.json<{ id: string }>();
	const url = `${server}/scripts/${id}`;
	return { url, seen: async () => (await fetch(url)).json() };
}

export const RUNNING: GraderStep = { kind: "status", status: 200, body: { state: "running", progress: "Running.", result: null } };

/** Returns the step that resolves an image reference to this digest. */
export function resolved(digest: string = DIGEST): GraderStep {
	return { kind: "status", status: 200, body: { state: "resolved", digest } };
}

/** Returns the step that reports a job as done. */
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

/** Returns the step that reports a job as done without having graded the submission. */
export function ended(outcome: Exclude<GradingResult["outcome"], "graded">, change: Partial<GradingResult> = {}): GraderStep {
	const score = outcome === "submission_invalid" ? 0 : null;
	return done({ outcome, message: `The image met its ${outcome}.`, test_score: score, container_score: score, ...change });
}
