// A workflow configures the Action with inputs, which GitHub passes as environment variables.
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { BountyUsageError } from "../../sdk/src/node.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Inputs {
	readonly url: string;
	readonly apiKey: string;
	readonly taskId: string;
	/** The folder to submit, without links in its path. */
	readonly folder: string;
	/** The repository's paths of the folder begin with this: it is empty, or has a slash at its end. */
	readonly prefix: string;
	readonly minimumScore: number | null;
	readonly isCheckOnly: boolean;
	readonly skipsUnchanged: boolean;
	/** The comment is written with this token. Null writes none. */
	readonly commentToken: string | null;
	readonly timeoutMs: number;
}

const TASK = /(?:^|\/tasks\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#]|$)/i;

/** Reads the inputs. @throws BountyUsageError for one that is missing or wrong. */
export async function readInputs(env: Environment): Promise<Inputs> {
	const text = (name: string) => (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
	const required = (name: string) => {
		if (text(name) === "") throw new BountyUsageError(`The input ${name} is required.`);
		return text(name);
	};
	const taskId = TASK.exec(required("task-id"))?.[1];
	if (taskId === undefined) throw new BountyUsageError("The input task-id must be the id of a task.");
	const isCommenting = isTrue("comment", text("comment"));
	return {
		url: required("url"),
		apiKey: required("api-key"),
		taskId,
		...(await findFolder(env, text("path") || ".")),
		minimumScore: readNumber("minimum-score", text("minimum-score"), 100),
		isCheckOnly: isTrue("check-only", text("check-only")),
		skipsUnchanged: isTrue("skip-unchanged", text("skip-unchanged") || "true"),
		commentToken: isCommenting ? required("github-token") : null,
		timeoutMs: (readNumber("timeout-minutes", text("timeout-minutes"), 1440) ?? 30) * 60_000,
	};
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

/** A pull request may turn a folder into a link that leads to the runner's own files, so the real folder must be in the workspace. */
async function findFolder(env: Environment, path: string): Promise<Pick<Inputs, "folder" | "prefix">> {
	const workspace = await realpath(env["GITHUB_WORKSPACE"] ?? ".");
	const folder = await realpath(resolve(workspace, path)).catch(() => {
		throw new BountyUsageError(`The input path names ${path}, which does not exist.`);
	});
	const inside = relative(workspace, folder).split(sep).join("/");
	if (inside === ".." || inside.startsWith("../") || resolve(workspace, inside) !== folder) {
		throw new BountyUsageError("The input path must lead to a folder inside of the workspace.");
	}
	return { folder, prefix: inside === "" ? "" : `${inside}/` };
}
