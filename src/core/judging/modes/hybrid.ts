// In hybrid mode, the poster's image scores a submission first, and then the judge does. The task's weights combine both scores.

import * as z from "zod";
import { SECOND_MS } from "../../../platform/clock.ts";
import type { Deps } from "../../../ports/deps.ts";
import type { EvaluationResult } from "../../../ports/judgement.ts";
import type { EvaluationWork, ModeOutcome } from "../work.ts";
import { gradeWithImage, nextRun, readProgress } from "./container.ts";
import { evaluateWithJudge, requireJudge } from "./llm.ts";

/** The image's result, which is stored until the judge is done, so that the image need not run again if the judge needs more attempts. */
const imageGrading = z.object({
	testScore: z.number().nullable(),
	containerScore: z.number().nullable(),
	reasoning: z.string(),
	breakdown: z.record(z.string(), z.unknown()),
	ownerBreakdown: z.record(z.string(), z.unknown()).nullable(),
	imageDigest: z.string().nullable(),
});

type ImageGrading = z.output<typeof imageGrading>;

export async function evaluateHybrid(deps: Deps, work: EvaluationWork): Promise<ModeOutcome> {
	// Without a judge, there would be no score, so the image need not run.
	requireJudge(deps);
	const progress = readProgress(work);
	const ofImage = progress.isGraded ? await readImageGrading(deps, work) : null;
	if (ofImage !== null) return { kind: "scored", result: joinResults(ofImage, await evaluateWithJudge(deps, work, ofImage.testScore)) };
	const outcome = await gradeWithImage(deps, work, progress.isGraded ? nextRun(progress) : progress);
	if (outcome.kind === "waiting") return outcome;
	await deps.bucket.put(work.record.keyOf("graded"), JSON.stringify(imageGrading.parse(outcome.grading)));
	deps.background(work.record.stopRuns(outcome.progress.run));
	return { kind: "waiting", visitAgainAt: deps.clock.now() + SECOND_MS, progress: { ...outcome.progress, isGraded: true } };
}

async function readImageGrading(deps: Deps, { record }: EvaluationWork): Promise<ImageGrading | null> {
	const object = await deps.bucket.get(record.keyOf("graded"));
	return object === null ? null : imageGrading.parse(await object.json());
}

/** Combines both results. The dimensions are the judge's, because they make up its score. Those of the image are in the breakdown. */
function joinResults(kept: ImageGrading, judged: EvaluationResult): EvaluationResult {
	return {
		...judged,
		testScore: kept.testScore,
		containerScore: kept.containerScore,
		imageDigest: kept.imageDigest,
		reasoning: `${kept.reasoning}\n\n${judged.reasoning}`,
		breakdown: { ...judged.breakdown, ...kept.breakdown },
		ownerBreakdown: kept.ownerBreakdown,
	};
}
