// Words that people read instead of the API's own, on public pages and in the console.
import type { EvalMode } from "./modes.ts";

/** Says who judges, in words that fit both the poster and everybody else. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Container image",
	hybrid: "Image and language model",
	external: "Outside service",
};
