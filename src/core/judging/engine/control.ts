// The control question repeats a failed call with harmless files instead of the submission. If it is answered, the submission is at fault.
// Otherwise, the platform is.
import type { EvaluationRequest, JudgedFile } from "../../../ports/judge.ts";
import { PROBE_PAIRS } from "./probe-material.ts";
import type { Prompt } from "./prompts.ts";
import { askConfirmation, type Confirmed } from "./prompts.ts";

/** Returns the request with harmless files of the same lengths instead of the submission's, and without facts about the submission. */
export function controlRequest<Request extends Pick<EvaluationRequest, "files" | "unreadPaths" | "missingSections" | "facts">>(
	request: Request,
): Request {
	return { ...request, files: request.files.map(harmlessFile), unreadPaths: [], missingSections: [], facts: [] };
}

function harmlessFile(file: JudgedFile, index: number): JudgedFile {
	const name = `src/part-${index + 1}.txt`;
	const { text } = file;
	return { path: name, text: harmlessText(text.length, index) };
}

const TEXTS = PROBE_PAIRS.map(({ honest }) => honest.text);

/** Joins harmless texts, beginning with number `from`, and cuts them to this length. */
function harmlessText(length: number, from: number): string {
	const parts: string[] = [];
	for (let left = length; left > 0; left -= parts.at(-1)?.length ?? left) parts.push(TEXTS[(from + parts.length) % TEXTS.length] ?? "");
	return parts.join("").slice(0, length);
}

/** Builds the prompt of a confirmation about the same checks, but with lines of the platform's own files. */
export function controlConfirmation(confirmed: readonly Confirmed[], mark: string): Prompt {
	const harmless = confirmed.map(({ check, lines }, index) => ({
		check,
		lines: lines.map((line, at) => harmlessText(Math.max(1, line.length), index + at).replaceAll("\n", " ")),
	}));
	return askConfirmation(harmless, mark);
}
