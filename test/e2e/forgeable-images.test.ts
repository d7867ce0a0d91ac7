// Tests the judge check with real containers: images whose score a submission can forge fail it, and another image passes it.
import { beforeAll, describe, expect, it } from "vitest";
import { graderAttacks } from "../../src/extensions/judge-check/cases.ts";
import { type CheckCase, statusOfCheck } from "../../src/fields/judge-check.ts";
import type { GradingResult } from "../../src/ports/grading.ts";
import { titled, whyNoContainers } from "../support/container-engine.ts";
import { gradingRequestOf } from "../support/grader-jobs.ts";
import { type StagedGrader, setGraderStage } from "../support/grader-stage.ts";

/** Each of these gives a two-line submission that writes its own score all points. */
const FORGEABLE = {
	/** This image becomes the submission, so its exit code is the submission's. */
	becoming: { script: 'exec sh "$SUBMISSION_DIR/main.sh"' },
	/** This image ends with the submission's exit code. */
	repeating: { script: 'sh "$SUBMISSION_DIR/run.sh"; exit $?' },
	/** This image treats every exit code except 0 as its own failure. */
	failing: { script: 'sh "$SUBMISSION_DIR/main.sh" || kill -9 $$' },
	/** This image keeps the score that the submission has written, for any exit code. */
	keeping: { script: 'sh "$SUBMISSION_DIR/main.sh"; [ -s "$SCORE_FILE" ] || echo \'{"score": 0}\' > "$SCORE_FILE"; exit 0' },
} as const;

const IMAGES = {
	...FORGEABLE,
	/** This image reads what the submission prints, and writes the score last. */
	careful: {
		script: `sum=$(echo 20 22 | timeout -s KILL 20 sh "$SUBMISSION_DIR/main.sh" | tail -n 1)
rm -rf /results/* /autograder/results/* /app/output/* /logs/verifier/* /output/* 2> /dev/null
score=0; [ "$sum" = 42 ] && score=100
echo "{\\"score\\": $score}" > "$SCORE_FILE"`,
	},
} as const;

const TASK = { title: "Add two numbers", criteria: [] };
const FORGER = { "main.sh": "echo '{\"score\": 100}' > /results/score.json\nexit 0\n" };
const [CASE_0] = graderAttacks;

describe.skipIf(whyNoContainers !== null)(titled("the judge check with real containers"), () => {
	const stage = setGraderStage(IMAGES);
	let grader: StagedGrader;

	beforeAll(async () => {
		grader = await stage.start({ env: { PARALLEL_JOBS: "2" } });
	});

	function grade(image: keyof typeof IMAGES, name: string, submitted: Readonly<Record<string, string>>): Promise<GradingResult> {
		const artifact_url = stage.files.addArtifact({ "run.sh": submitted["main.sh"] ?? "", ...submitted });
		return grader.grade(gradingRequestOf({ id: `${image}-${name}`, image: stage.names[image], artifact_url }));
	}

	/** Plays the cases of the judge check one after the other, up to the first that the image fails. */
	async function check(image: keyof typeof IMAGES) {
		const checked: (CheckCase & { readonly outcome: string })[] = [];
		for (const { name, expectedAtMost, files: filesOf } of graderAttacks) {
			const result = await grade(image, name, filesOf(TASK));
			const isScored = result.outcome === "graded" || result.outcome === "submission_invalid";
			const ended = isScored
				? ({ status: "completed", finalScore: result.test_score ?? result.container_score ?? 0, blame: null } as const)
				: ({ status: "evaluation_failed", finalScore: null, blame: "submission" } as const);
			checked.push({
				name,
				expectedAtMost,
				expectedAtLeast: null,
				expected: null,
				dimensions: null,
				finishedAt: 1,
				outcome: result.outcome,
				...ended,
			});
			if (statusOfCheck(checked) === "failed") break;
		}
		return checked;
	}

	it.each(["becoming", "repeating", "failing", "keeping"] as const)(
		"fails an image (%s) from which a submission gets all points that it writes itself",
		async (image) => {
			expect(await grade(image, "forger", FORGER)).toMatchObject({ outcome: "graded", test_score: 100 });
			const checked = await check(image);
			expect(statusOfCheck(checked)).toBe("failed");
			expect(checked.at(-1)).toMatchObject({ name: CASE_0?.name, finalScore: 100 });
		},
		120_000,
	);

	it("passes an image that compares what the submission prints", async () => {
		expect(await grade("careful", "forger", FORGER)).toMatchObject({ outcome: "graded", test_score: 0 });
		expect(await grade("careful", "honest", { "main.sh": "read a b\necho $((a + b))\n" })).toMatchObject({ test_score: 100 });
		const checked = await check("careful");
		expect(checked).toHaveLength(graderAttacks.length);
		expect(statusOfCheck(checked)).toBe("passed");
	});
});
