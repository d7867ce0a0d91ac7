// Words that people read instead of the API's own, on public pages and in the console.
import type { EvalMode } from "./modes.ts";

/** Says who judges, for readers who are not the poster. */
export const MODE_NAMES: Readonly<Record<EvalMode, string>> = {
	llm: "Language model",
	container: "Poster's image",
	hybrid: "Image and language model",
	external: "Poster's service",
};
