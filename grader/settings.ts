// Reads the environment of the grader. docs/grader.md describes each variable for operators.
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";

const wholeNumber = z
	.string()
	.regex(/^\d{1,9}$/, "must be a whole number")
	.transform(Number);
/** Treats an empty variable as not set. */
const unset = <S extends z.ZodType>(schema: S) => z.preprocess((value) => (value === "" ? undefined : value), schema);
const MIN_TOKEN_CHARACTERS = 16;
const DEFAULT_PORT = 8_788;
const MAX_PORT = 65_535;
const MAX_PARALLEL_JOBS = 64;
const DEFAULT_PARALLEL_JOBS = 4;

/** The settings for running images. */
const workshopVariables = z.object({
	WORK_FOLDER: unset(z.string().default(join(tmpdir(), `bounty-grader-${process.getuid?.() ?? "work"}`))),
	CONTAINER_ENGINE: unset(z.string().optional()),
	GRADER_RUNTIME: unset(
		z
			.string()
			.regex(/^[A-Za-z0-9/][A-Za-z0-9/_.-]*$/, "must be the name of one of the engine's runtimes, such as runsc")
			.optional(),
	),
	GRADER_NETWORK: unset(
		z
			.string()
			.regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/, "must be the name of one of the engine's networks")
			.optional(),
	),
	/** If true, the operator accepts an engine without limits, for example because each job has its own machine. */
	ALLOW_WEAK_LIMITS: unset(z.enum(["true", "false"]).default("false")),
	RESULT_LIMIT: unset(z.enum(["mount", "watch"]).optional()),
});

const variables = z.object({
	...workshopVariables.shape,
	GRADER_TOKEN: z
		.string({ error: "must be set: the platform sends it with every request" })
		.min(MIN_TOKEN_CHARACTERS, `must have at least ${MIN_TOKEN_CHARACTERS} characters`),
	HOST: unset(z.string().default("127.0.0.1")),
	PORT: unset(wholeNumber.refine((port) => port <= MAX_PORT, `must be at most ${MAX_PORT}`).default(DEFAULT_PORT)),
	PARALLEL_JOBS: unset(
		wholeNumber
			.refine((jobs) => jobs >= 1 && jobs <= MAX_PARALLEL_JOBS, `must be from 1 to ${MAX_PARALLEL_JOBS}`)
			.default(Math.max(1, Math.min(DEFAULT_PARALLEL_JOBS, availableParallelism()))),
	),
});

type Environment = Readonly<Record<string, string | undefined>>;

export type WorkshopSettings = z.output<typeof workshopVariables>;
export type GraderSettings = z.output<typeof variables>;

/** Returns the settings, or one line for each invalid variable. */
export function readGraderSettings(environment: Environment): GraderSettings | readonly string[] {
	return read(variables, environment);
}

/** Reads only the variables for running images, without the server's settings. Returns one line for each invalid variable. */
export function readWorkshopSettings(environment: Environment): WorkshopSettings | readonly string[] {
	return read(workshopVariables, environment);
}

function read<S extends z.ZodType>(schema: S, environment: Environment): z.output<S> | readonly string[] {
	const parsed = schema.safeParse(environment);
	return parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`);
}
