// The files in which an image may leave its score: ours, and those of the platforms and test runners that images were written for.
import { parseCtrf } from "./ctrf.ts";
import { parseGradescope } from "./gradescope.ts";
import { parseJunit } from "./junit.ts";
import { parseMetrics, parseReward, parseRewardText } from "./metrics.ts";
import { parseOwn } from "./own.ts";
import type { ScoreFormat } from "./report.ts";
import { parseStrictJson } from "./strict-json.ts";

/** Every place where a score may be. No format goes before another. */
export const SCORE_FORMATS: readonly ScoreFormat[] = [
	{ path: "/results/score.json", parse: (text, task) => parseOwn(parseStrictJson(text), task) },
	{ path: "/results/junit.xml", parse: (text) => parseJunit(text) },
	{ path: "/results/ctrf-report.json", parse: (text) => parseCtrf(parseStrictJson(text)) },
	{ path: "/autograder/results/results.json", parse: (text) => parseGradescope(parseStrictJson(text)) },
	{ path: "/app/output/scores.json", parse: (text) => parseMetrics(parseStrictJson(text), "score") },
	{ path: "/logs/verifier/reward.json", parse: (text) => parseReward(parseStrictJson(text)) },
	{ path: "/logs/verifier/reward.txt", parse: (text) => parseRewardText(text) },
	{ path: "/output/metrics.json", parse: (text) => parseMetrics(parseStrictJson(text), "score") },
];
