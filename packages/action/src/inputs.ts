// A workflow configures the Action with inputs, which GitHub passes as environment variables.
import { realpath } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { Terms } from "../../cli/src/issues/issue-terms.ts";
import { BountyUsageError } from "../../sdk/src/node.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

interface CommonInputs {
	readonly url: string;
	readonly apiKey: string;
}

export interface SubmitInputs extends CommonInputs {
	readonly mode: "submit";
	readonly taskId: string;
	/** The folder to submit, without links in its path. */
	readonly folder: string;
	/** The folder's path in the repository: empty, or with a slash at the end. */
	readonly prefix: string;
	readonly minimumScore: number | null;
	readonly isCheckOnly: boolean;
	readonly skipsUnchanged: boolean;
	/** The token with which the comment is written. If it is null, no comment is written. */
	readonly commentToken: string | null;
	readonly timeoutMs: number;
}

export interface PostInputs extends CommonInputs {
	readonly mode: "post";
	/** An issue with this label becomes a task. */
	readonly label: string;
	readonly isPublishing: boolean;
	/** Overrides the issue's own terms. */
	readonly terms: Terms;
	/** The token with which the Action checks who added the label, and writes the comment. */
	readonly token: string;
	readonly isCommenting: boolean;
}

const TASK = /(?:^|\/tasks\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#]|$)/i;

/** Returns the trimmed text of an input. Empty if it is not set. */
type Read = (name: string) => string;

/**
 * Reads the inputs.
 *
 * @throws BountyUsageError for an input that is missing or wrong.
 */
export async function readInputs(env: Environment): Promise<SubmitInputs | PostInputs> {
	const text: Read = (name) => (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
	const mode = text("mode") || "submit";
	if (mode !== "submit" && mode !== "post") throw new BountyUsageError("The input mode must be submit or post.");
	const common = { url: required(text, "url"), apiKey: required(text, "api-key") };
	return mode === "post" ? { mode, ...common, ...readPostInputs(text) } : { mode, ...common, ...(await readSubmitInputs(env, text)) };
}

function required(text: Read, name: string): string {
	if (text(name) === "") throw new BountyUsageError(`The input ${name} is required.`);
	return text(name);
}

async function readSubmitInputs(env: Environment, text: Read): Promise<Omit<SubmitInputs, "mode" | keyof CommonInputs>> {
	const taskId = TASK.exec(required(text, "task-id"))?.[1];
	if (taskId === undefined) throw new BountyUsageError("The input task-id must be the id of a task.");
	const isCommenting = isTrue("comment", text("comment"));
	return {
		taskId,
		...(await findFolder(env, text("path") || ".")),
		minimumScore: readNumber("minimum-score", text("minimum-score"), 100),
		isCheckOnly: isTrue("check-only", text("check-only")),
		skipsUnchanged: isTrue("skip-unchanged", text("skip-unchanged") || "true"),
		commentToken: isCommenting ? required(text, "github-token") : null,
		timeoutMs: (readNumber("timeout-minutes", text("timeout-minutes"), 1440) ?? 30) * 60_000,
	};
}

function readPostInputs(text: Read): Omit<PostInputs, "mode" | keyof CommonInputs> {
	return {
		label: required(text, "label"),
		isPublishing: isTrue("publish", text("publish")),
		isCommenting: isTrue("comment", text("comment") || "true"),
		token: required(text, "github-token"),
		terms: readTerms(text),
	};
}

function readTerms(text: Read): Terms {
	const given = <Value>(name: string, toValue: (name: string, value: string) => Value) =>
		text(name) === "" ? {} : { [name.replaceAll("-", "_")]: toValue(name, text(name)) };
	const asText = (_name: string, value: string) => value;
	return {
		...given("budget-cents", readWhole),
		...given("deadline", asText),
		...given("category", asText),
		...given("max-submissions-per-agent", readWhole),
		...given("final-round", isTrue),
		...given("sealed", isTrue),
	};
}

function readWhole(name: string, text: string): number {
	if (/^\d{1,15}$/.test(text)) return Number(text);
	throw new BountyUsageError(`The input ${name} must be a whole number.`);
}

function isTrue(name: string, text: string): boolean {
	if (!["", "true", "false"].includes(text)) throw new BountyUsageError(`The input ${name} must be true or false.`);
	return text === "true";
}

function readNumber(name: string, text: string, most: number): number | null {
	if (text === "") return null;
	const value = Number(text);
	if (/^\d{1,4}(\.\d+)?$/.test(text) && value <= most) return value;
	throw new BountyUsageError(`The input ${name} must be a number from 0 to ${most}.`);
}

/** A pull request may replace a folder with a link to the runner's own files, so the real folder must be in the workspace. */
async function findFolder(env: Environment, path: string): Promise<Pick<SubmitInputs, "folder" | "prefix">> {
	const workspace = await realpath(env["GITHUB_WORKSPACE"] ?? ".");
	const folder = await realpath(resolve(workspace, path)).catch(() => {
		throw new BountyUsageError(`The input path names ${path}, which does not exist.`);
	});
	const fromWorkspace = relative(workspace, folder);
	const inside = fromWorkspace.split(sep).join("/");
	// The path to a folder on another drive of Windows is absolute.
	if (inside === ".." || inside.startsWith("../") || isAbsolute(fromWorkspace)) {
		throw new BountyUsageError("The input path must lead to a folder inside the workspace.");
	}
	return { folder, prefix: inside === "" ? "" : `${inside}/` };
}
