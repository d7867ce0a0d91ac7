// Words that people read instead of the API's own, on public pages and in the console.
import type { EvalMode } from "./modes.ts";

/** Says who judges, for readers who are not the poster. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Poster's image",
	hybrid: "Image and language model",
	external: "Poster's service",
};

/** Names the parts of a score, where tests and a language model both give one. */
export const SCORE_PART_NAMES = { test: "Tests", llm: "Language model" } as const;
