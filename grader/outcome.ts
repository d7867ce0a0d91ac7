// Maps exit codes, limits and score files to outcomes.
import type { GradingResult } from "../src/ports/grading.ts";
import type { RunEnd } from "./engine/port.ts";
import { ScoreFault, type ScoreReport } from "./scores/report.ts";

/** With these exit codes, the image says that the submission cannot be graded at all: EX_USAGE and EX_DATAERR of sysexits.h. */
const INVALID_CODES = [64, 65];
/** With this exit code, the image says that the fault is temporary: EX_TEMPFAIL. The run is repeated once, like every failed run. */
const TEMPORARY_CODE = 75;
const MAX_OUTPUT_CHARACTERS = 4_096;

interface Limits {
	readonly memory_mb: number;
	readonly timeout_s: number;
}

/**
 * Returns the outcome of one run of an image that has started. No outcome here returns the slot, because the submission may have caused it.
 *
 * @param readScore Reads the score that the image has written. Called only after exit code 0.
 */
export async function concludeRun(end: RunEnd, limits: Limits, readScore: () => Promise<ScoreReport | null>): Promise<GradingResult> {
	const fault = faultOf(end, limits);
	if (fault !== null) return resultOfFault(fault, end);
	try {
		const report = await readScore();
		if (report !== null) return graded(end, report);
		return resultOfFault({ outcome: "grader_no_result", message: "The image ended without writing a score." }, end);
	} catch (error) {
		if (!(error instanceof ScoreFault)) throw error;
		return resultOfFault({ outcome: "grader_error", message: `The image's score cannot be used: ${error.message}` }, end);
	}
}

export type Fault = Pick<GradingResult, "outcome" | "message">;

/**
 * Returns the fault of a run. A time-out has priority. After that, an image that reports its own outcome is believed, even if its
 * submission has used up its memory. Otherwise, memory has priority over the exit code, because it explains the exit code.
 */
function faultOf({ exitCode, isTimedOut, isOutOfMemory, isDiskFull }: RunEnd, { memory_mb, timeout_s }: Limits): Fault | null {
	if (isTimedOut) return { outcome: "grader_timeout", message: `The image did not end within ${timeout_s} seconds.` };
	if (exitCode === 0 && !isDiskFull) return null;
	if (exitCode !== null && INVALID_CODES.includes(exitCode)) {
		return { outcome: "submission_invalid", message: `The image found the submission invalid (exit code ${exitCode}).` };
	}
	if (exitCode === TEMPORARY_CODE) return { outcome: "grader_error", message: "The image asked to be run again (exit code 75)." };
	if (isOutOfMemory && exitCode !== 0) return { outcome: "grader_oom", message: `The image needed more than ${memory_mb} MB of memory.` };
	if (isDiskFull) return { outcome: "grader_error", message: "The image filled a result folder: each takes 8 MB and 1,000 files." };
	if (exitCode === null) return { outcome: "grader_error", message: "The image was killed." };
	return { outcome: "grader_error", message: `The image failed with exit code ${exitCode}.` };
}

function graded(end: RunEnd, report: ScoreReport): GradingResult {
	return {
		outcome: "graded",
		message: "",
		image_digest: end.imageDigest,
		test_score: report.score,
		container_score: report.score,
		dimensions: [...report.dimensions],
		tests: [...report.tests],
		breakdown: report.breakdown,
		output: tail(report.output === "" ? end.output : report.output),
		notes: report.notes,
	};
}

/** Returns the result of a fault. An invalid submission scores 0 and counts; every other fault has no score. */
export function resultOfFault({ outcome, message }: Fault, { imageDigest, output }: Pick<RunEnd, "imageDigest" | "output">): GradingResult {
	const score = outcome === "submission_invalid" ? 0 : null;
	return {
		outcome,
		message,
		image_digest: imageDigest,
		test_score: score,
		container_score: score,
		dimensions: [],
		tests: [],
		breakdown: null,
		output: tail(output),
		notes: "",
	};
}

/** Returns the result for a fault of the platform. */
export function platformError(message: string): GradingResult {
	return resultOfFault({ outcome: "platform_error", message }, { imageDigest: null, output: "" });
}

function tail(text: string): string {
	return text.slice(-MAX_OUTPUT_CHARACTERS).toWellFormed();
}
