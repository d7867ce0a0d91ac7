// Lists the files in which an image may leave its score: the platform's own, and those of other platforms and test runners.
import { parseStrictJson, StrictJsonError } from "../../src/domain/strict-json.ts";
import { parseCtrf } from "./ctrf.ts";
import { parseGradescope } from "./gradescope.ts";
import { parseJunit } from "./junit.ts";
import { parseMetrics, parseReward, parseRewardText } from "./metrics.ts";
import { parseOwn } from "./own.ts";
import { ScoreFault, type ScoreFormat } from "./report.ts";

/** A score may be in any of these places. No format has priority. */
export const SCORE_FORMATS: readonly ScoreFormat[] = [
	{ path: "/results/score.json", parse: (text, task) => parseOwn(parseJson(text), task) },
	{ path: "/results/junit.xml", parse: (text) => parseJunit(text) },
	{ path: "/results/ctrf-report.json", parse: (text) => parseCtrf(parseJson(text)) },
	{ path: "/autograder/results/results.json", parse: (text) => parseGradescope(parseJson(text)) },
	{ path: "/app/output/scores.json", parse: (text) => parseMetrics(parseJson(text), "score") },
	{ path: "/logs/verifier/reward.json", parse: (text) => parseReward(parseJson(text)) },
	{ path: "/logs/verifier/reward.txt", parse: (text) => parseRewardText(text) },
	{ path: "/output/metrics.json", parse: (text) => parseMetrics(parseJson(text), "score") },
];

/** @throws ScoreFault */
function parseJson(text: string): unknown {
	try {
		return parseStrictJson(text);
	} catch (error) {
		throw error instanceof StrictJsonError ? new ScoreFault(error.message) : error;
	}
}
