// The data that the grader and the platform exchange over HTTP.
import * as z from "zod";
import { IMAGE_DIGEST, IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT, MAX_IMAGE_REFERENCE_CHARACTERS } from "../domain/image-reference.ts";

const imageReference = z.string().max(MAX_IMAGE_REFERENCE_CHARACTERS).regex(IMAGE_REFERENCE, IMAGE_REFERENCE_FAULT);
const imageDigest = z.string().regex(IMAGE_DIGEST);

export const gradingTask = z.object({
	id: z.string().max(100),
	criteria: z.array(z.object({ name: z.string(), description: z.string().nullable(), weight: z.number().positive() })).max(50),
});

export const gradingRequest = z.object({
	id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/),
	image: imageReference,
	/** The digest of the image that every run of the task must use. Null until the first run has resolved the reference. */
	image_digest: imageDigest.nullable().default(null),
	artifact_url: z.url({ protocol: /^https?$/ }),
	test_suite_url: z.url({ protocol: /^https?$/ }).nullable(),
	task: gradingTask,
	memory_mb: z.int().min(512).max(4096),
	timeout_s: z.int().min(1).max(3600),
	network: z.boolean(),
});

/** The result of the grader's self-test. */
export const graderTest = z.object({ state: z.enum(["ok", "failed"]), message: z.string().max(2_000) });

export type GraderTest = z.output<typeof graderTest>;

export type GradingRequest = z.output<typeof gradingRequest>;
export type GradingTask = z.output<typeof gradingTask>;

const OUTCOMES = [
	"graded",
	"submission_invalid",
	"grader_timeout",
	"grader_oom",
	"grader_error",
	"grader_no_result",
	"image_error",
	"platform_error",
] as const;

const score = z.number().min(0).max(100);

export const testResult = z.object({
	name: z.string(),
	passed: z.boolean(),
	score: z.number().nullable(),
	max_score: z.number().nullable(),
	output: z.string(),
	/** True if agents may see the input and output of this test case. Null for a test that the image itself reports. */
	public: z.boolean().nullable().default(null),
	/** The beginning of the test case's input. Null for a test that the image itself reports. */
	input: z.string().nullable().default(null),
});

export type TestResult = z.output<typeof testResult>;

/** The result of a job. The scores are 0 if the submission is invalid, and null if it could not be graded. */
export const gradingResult = z.object({
	outcome: z.enum(OUTCOMES),
	/** Explains to the poster how the job ended. Empty if there is nothing to explain. */
	message: z.string(),
	image_digest: z.string().nullable(),
	test_score: score.nullable(),
	container_score: score.nullable(),
	dimensions: z.array(z.object({ criterion: z.string(), score, reasoning: z.string() })),
	tests: z.array(testResult),
	breakdown: z.record(z.string(), z.unknown()).nullable(),
	/** The end of the image's output. */
	output: z.string(),
	notes: z.string(),
});

export type GradingResult = z.output<typeof gradingResult>;

const MATCH_TYPES = ["exact", "contains", "regex"] as const;

const testCase = z.object({
	name: z.string().describe("The name of the case. Agents see this name and whether the case passed."),
	input: z.string().describe("What the image receives on standard input."),
	expected_output: z.string().describe("What the image's standard output is compared with. It is never put into a container."),
	match_type: z
		.enum(MATCH_TYPES)
		.describe(
			"`exact`: equal, ignoring white space at line ends. `contains`: somewhere in the output. `regex`: an RE2 pattern of at most 1,000 characters. For `contains` and `regex`, the case fails if the output is longer than 1 KB plus four times the length of `expected_output`.",
		),
	public: z.boolean().default(false).describe("Whether agents see the input and output of the case in their results."),
});

/** The JSON of a test suite, which the poster uploads and the grader downloads. */
export const testSuite = z.object({ test_cases: z.array(testCase).min(1).describe("The cases. The image runs once for each.") });

export type TestCase = z.output<typeof testCase>;

export const imageRequest = z.object({ image: imageReference });

/** The image to which a reference resolves at the moment. The messages are for the poster. */
export const imageResolution = z.discriminatedUnion("state", [
	z.object({ state: z.literal("resolved"), digest: imageDigest }),
	/** The registry has no such image, or none for this grader's architecture. */
	z.object({ state: z.literal("missing"), message: z.string() }),
	/** The registry, the engine or the grader cannot be reached or takes too long. */
	z.object({ state: z.literal("unreachable"), message: z.string() }),
]);

export type ImageResolution = z.output<typeof imageResolution>;

/** A grader runs jobs, which the caller identifies by an id. The caller asks for a job's state until it is done. */
export interface GradingService {
	/**
	 * Starts a job. A second call with the same id does not start another. `full`: the grader has no room at the moment. `not_started`: the
	 * container in which the grader itself runs did not start.
	 *
	 * @throws EvaluationFault
	 */
	start(request: GradingRequest): Promise<"taken" | "full" | "not_started">;
	/**
	 * Returns a job's state, or null if the grader does not know the job or has forgotten it.
	 *
	 * @throws EvaluationFault
	 */
	find(id: string): Promise<GraderJob | null>;
	/**
	 * Ends a job and its container, and forgets the job. Does nothing if there is no such job.
	 *
	 * @throws EvaluationFault
	 */
	stop(id: string): Promise<void>;
	/** Resolves an image reference. Never throws, and takes at most 25 seconds. */
	resolve(image: string): Promise<ImageResolution>;
	/** Makes the grader pull an image and run it once. Never throws, and takes at most 200 seconds. */
	test(image: string): Promise<GraderTest>;
}

export interface GraderJob {
	readonly state: "queued" | "pulling" | "running" | "done";
	/** The result of the job. Null until it is done. */
	readonly result: GradingResult | null;
}
