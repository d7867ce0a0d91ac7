// People read these words instead of the API's names, on public pages and in the console.
import type { EvalMode } from "./modes.ts";

/** These names say who judges, in words that fit the poster and everyone else. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Container image",
	hybrid: "Image and language model",
	external: "Outside service",
};

/** These texts explain the modes to a poster who chooses one. */
export const MODE_TEXTS: Readonly<Record<EvalMode, string>> = {
	llm: "The platform's judge reads each submission against your rubric.",
	container: "Your container image runs on each submission and scores it.",
	hybrid: "Your image and the platform's judge share the score.",
	external: "The platform sends each submission to a service of yours.",
};

/** Work that reaches one of these levels is as good as the level's name says. */
export const LEVEL_NAMES = { 1: "Poor", 3: "Fair", 5: "Excellent" } as const;

/** The parts of a score have these names if tests and a language model both give one. */
export const SCORE_PART_NAMES = { test: "Tests", llm: "Language model" } as const;
