// Reports through workflow commands in the log, through outputs, and in the job summary. All of them contain text from strangers.
import { appendFile } from "node:fs/promises";
import type { Schemas } from "../../sdk/src/node.ts";
import type { Environment } from "./inputs.ts";

type Submission = Schemas["Submission"];

export interface Annotation {
	readonly level: "error" | "warning" | "notice";
	readonly message: string;
	readonly title?: string;
	/** The path is relative to the repository. */
	readonly file?: string;
	readonly line?: number;
	readonly endLine?: number;
}

const MAX_ANNOTATIONS = 40;

/**
 * Returns a workflow command that makes GitHub annotate a file.
 * Line ends and separators are escaped, so that no text becomes a separate command.
 */
export function annotate({ level, message, title, file, line, endLine }: Annotation): string {
	const properties = { file, line, endLine, title };
	const given = Object.entries(properties).filter(([, value]) => value !== undefined);
	const list = given.map(([name, value]) => `${name}=${escapeData(String(value)).replaceAll(":", "%3A").replaceAll(",", "%2C")}`);
	return `::${level}${list.length === 0 ? "" : ` ${list.join(",")}`}::${escapeData(message)}\n`;
}

function escapeData(text: string): string {
	return clean(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

/**
 * Returns one line of the log in which no stranger's text is a command. GitHub obeys a line that begins with ::, and ##[ anywhere in a
 * line.
 */
export function logLine(text: string): string {
	return `bounty: ${clean(text).replace(/\s+/g, " ").replaceAll("##[", "## [")}\n`;
}

function clean(text: string): string {
	return text.replace(/(?![\n\r\t])[\p{Cc}\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/gu, "");
}

/** Annotates the passages that the judge quotes from files, with the score and the reasoning of their criterion. */
export function annotateEvidence({ dimensions }: Submission, prefix: string): Annotation[] {
	const found = dimensions.flatMap(({ criterion_name: name, score, reasoning, checks = [] }): Annotation[] =>
		checks
			.flatMap(({ evidence }) => evidence)
			.map(({ path, start, end }) => ({
				level: score < 50 ? "warning" : "notice",
				title: `${name}: ${score} of 100`,
				message: reasoning,
				file: prefix + path,
				...{ line: start, endLine: end },
			})),
	);
	return found.slice(0, MAX_ANNOTATIONS);
}

/** Annotates the files that a check's findings are about. */
export function annotateCheck({ problems, warnings, files }: Schemas["CheckResult"], prefix: string): Annotation[] {
	const known = new Set(files.map(({ path }) => path));
	const at = (path: string) => (known.has(path) ? { file: prefix + path } : {});
	return [
		...problems.map(
			({ path, message }): Annotation => ({ level: "error", message: path === "" ? message : `${path}: ${message}`, ...at(path) }),
		),
		...warnings.map(
			({ path, message }): Annotation => ({ level: "warning", message: path === "" ? message : `${path}: ${message}`, ...at(path) }),
		),
	].slice(0, MAX_ANNOTATIONS);
}

export interface Outputs {
	readonly "submission-id": string;
	readonly score: string;
	readonly rank: string;
	readonly status: string;
	readonly "remaining-slots": string;
	readonly unchanged: string;
	readonly "task-id": string;
	readonly "task-url": string;
	readonly outcome: string;
}

export const NO_OUTPUTS: Outputs = {
	...{ "submission-id": "", score: "", rank: "", status: "", "remaining-slots": "", unchanged: "false" },
	...{ "task-id": "", "task-url": "", outcome: "" },
};

export function outputsOf({ id, scores, position, status, quota }: Submission, { isUnchanged }: { isUnchanged: boolean }): Outputs {
	return {
		...NO_OUTPUTS,
		"submission-id": id,
		score: String(scores?.final_score ?? ""),
		rank: String(position ?? ""),
		status,
		"remaining-slots": String(quota.remaining),
		unchanged: String(isUnchanged),
	};
}

/** Appends to the files that GitHub reads after the step. */
export async function writeReport(env: Environment, { outputs, summary }: { outputs: Outputs; summary: string }): Promise<void> {
	const lines = Object.entries(outputs).map(([name, value]) => `${name}=${String(value).replace(/\s+/g, " ")}\n`);
	if (env["GITHUB_OUTPUT"]) await appendFile(env["GITHUB_OUTPUT"], lines.join(""));
	if (env["GITHUB_STEP_SUMMARY"]) await appendFile(env["GITHUB_STEP_SUMMARY"], `${summary}\n`);
}

/** Returns the submission as Markdown: its score, one line for each criterion, the reasoning, and links. */
export function summarize(submission: Submission, { url, isUnchanged }: { url: string; isUnchanged: boolean }): string {
	const { id, task_id: taskId, status, scores, position, quota, dimensions, error_message: error } = submission;
	const origin = new URL(url).origin;
	const rows = dimensions.map(
		({ criterion_name: name, score, weight }) =>
			`| ${escapeMarkup(name)} | ${escapeMarkup(String(score))} | ${escapeMarkup(String(weight))} % |`,
	);
	const reasons = dimensions.map(({ criterion_name: name, reasoning }) => `- ${escapeMarkup(name)}: ${escapeMarkup(reasoning)}`);
	return [
		scores === null ? `## Bounty: ${escapeMarkup(status)}` : `## Bounty: ${escapeMarkup(String(scores.final_score))} of 100`,
		"",
		...(isUnchanged ? ["These files were submitted before, so no slot was used.", ""] : []),
		...(error === undefined ? [] : [escapeMarkup(error), ""]),
		...(rows.length === 0 ? [] : ["| Criterion | Score | Weight |", "|---|---:|---:|", ...rows, ""]),
		...(reasons.length === 0 ? [] : ["<details><summary>Reasons</summary>", "", ...reasons, "", "</details>", ""]),
		`[Submission](${origin}/console/my-submissions/${toPathPart(id)}) to [the task](${origin}/tasks/${toPathPart(taskId)})${
			position === null ? "" : `, rank ${escapeMarkup(String(position))}`
		}. Slots left: ${escapeMarkup(String(quota.remaining))}.`,
	].join("\n");
}

/** Keeps only characters that ids can have, so that the result cannot end the link that contains it. */
export function toPathPart(id: string): string {
	return id.replace(/[^\w-]/g, "");
}

/** Returns the result of a check as Markdown. */
export function summarizeCheck({ ok, problems, warnings }: Schemas["CheckResult"]): string {
	const line = ({ path, message }: { path: string; message: string }) =>
		`- ${path === "" ? "" : `${escapeMarkup(path)}: `}${escapeMarkup(message)}`;
	return [
		`## Bounty: ${ok ? "the files can be submitted" : "the files would be rejected"}`,
		"",
		...(problems.length === 0 ? [] : ["Problems:", "", ...problems.map(line), ""]),
		...(warnings.length === 0 ? [] : ["Warnings:", "", ...warnings.map(line), ""]),
	].join("\n");
}

/** Escapes text, so that it cannot become a link, markup, a mention or another row of a table. */
export function escapeMarkup(value: string): string {
	return clean(value)
		.replace(/\s+/g, " ")
		.replace(/[\\`*_{}[\]()#+!|<>~&@:-]/g, (character) => `&#${character.charCodeAt(0)};`);
}
