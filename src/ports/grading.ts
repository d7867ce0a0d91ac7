// What the grader takes and gives over HTTP: the same shapes for its server and for the platform's client.
import * as z from "zod";

/**
 * `[host[:port]/]name[:tag][@sha256:digest]`, as every engine takes it. Neither an option of theirs
 * nor one of the other sources that they know, such as folders of their own machine.
 */
const imageReference = z
	.string()
	.max(500)
	.regex(
		/^(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\d{1,5})?\/)?[a-z0-9]+(?:[._-]+[a-z0-9]+)*(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/,
		"must be an image reference such as registry.example/judge:1",
	);

export const gradingTask = z.object({
	id: z.string().max(100),
	criteria: z.array(z.object({ name: z.string(), description: z.string().nullable(), weight: z.number().positive() })).max(50),
});

export const gradingRequest = z.object({
	id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/),
	image: imageReference,
	artifact_url: z.url({ protocol: /^https?$/ }),
	test_suite_url: z.url({ protocol: /^https?$/ }).nullable(),
	task: gradingTask,
	memory_mb: z.int().min(512).max(4096),
	timeout_s: z.int().min(1).max(3600),
	network: z.boolean(),
});

export type GradingRequest = z.output<typeof gradingRequest>;
export type GradingTask = z.output<typeof gradingTask>;

const OUTCOMES = [
	"graded",
	"submission_invalid",
	"grader_timeout",
	"grader_oom",
	"grader_error",
	"grader_no_result",
	"platform_error",
] as const;

const score = z.number().min(0).max(100);

export const testResult = z.object({
	name: z.string(),
	passed: z.boolean(),
	score: z.number().nullable(),
	max_score: z.number().nullable(),
	output: z.string(),
});

export type TestResult = z.output<typeof testResult>;

/** How a job ended. Scores are there when it is graded, and 0 when the image found the submission invalid. */
export const gradingResult = z.object({
	outcome: z.enum(OUTCOMES),
	/** Why, in words for the poster; empty when there is nothing to explain. */
	message: z.string(),
	image_digest: z.string().nullable(),
	test_score: score.nullable(),
	container_score: score.nullable(),
	dimensions: z.array(z.object({ criterion: z.string(), score, reasoning: z.string() })),
	tests: z.array(testResult),
	breakdown: z.record(z.string(), z.unknown()).nullable(),
	/** The end of what the image wrote. */
	output: z.string(),
	notes: z.string(),
});

export type GradingResult = z.output<typeof gradingResult>;

const MATCH_TYPES = ["exact", "contains", "regex"] as const;

const testCase = z.object({
	name: z.string().describe("The name of the case."),
	input: z.string().describe("What the image receives on standard input."),
	expected_output: z.string().describe("What the image's standard output is compared with."),
	match_type: z
		.enum(MATCH_TYPES)
		.describe("`exact`: equal, apart from white space at line ends. `contains`: somewhere in the output. `regex`: an RE2 pattern."),
});

/** A poster's test suite, as it is uploaded and as the grader downloads it. */
export const testSuite = z.object({ test_cases: z.array(testCase).min(1).describe("The cases. The image runs once for each.") });

export type TestCase = z.output<typeof testCase>;
