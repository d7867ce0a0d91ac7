// The Action checks or submits a folder, waits for its scores, and reports them.
import { submitChanged } from "../../sdk/src/changed-work.ts";
import { BountyApiError, BountyCheckError, BountyClient, readWorkFolder, type Schemas, type WorkFolder } from "../../sdk/src/node.ts";
import { writeComment } from "./comment.ts";
import { type Environment, type Inputs, readInputs } from "./inputs.ts";
import {
	annotate,
	annotateCheck,
	annotateEvidence,
	logLine,
	NO_OUTPUTS,
	type Outputs,
	outputsOf,
	summarize,
	summarizeCheck,
	writeReport,
} from "./report.ts";

/** These are the exit codes of `bounty submit` that the Action also uses. */
const EXIT = { done: 0, failed: 1, usage: 2, key: 3, missing: 4, rejected: 5, check: 6, judging: 7, score: 8, away: 9 } as const;

interface World {
	readonly version: string;
	readonly write: (text: string) => unknown;
}

interface Ending {
	readonly exitCode: number;
	readonly outputs: Outputs;
	readonly summary: string;
}

/** Runs the Action and returns its exit code. It never throws. */
export async function runAction(env: Environment, { version, write }: World): Promise<number> {
	try {
		const inputs = await readInputs(env);
		// GitHub then hides the key in the log, also where a text repeats it.
		write(`::add-mask::${inputs.apiKey}\n`);
		const client = new BountyClient({
			baseUrl: inputs.url,
			apiKey: inputs.apiKey,
			userAgent: `bounty-action/${version}`,
			onRetry: ({ delayMs, error }) => write(logLine(`${messageOf(error)} Trying again in ${Math.ceil(delayMs / 1000)} s.`)),
		});
		const ending = await finish(client, inputs, write);
		await writeReport(env, ending);
		if (inputs.commentToken !== null)
			await comment(env, { token: inputs.commentToken, taskId: inputs.taskId, summary: ending.summary }, write);
		return ending.exitCode;
	} catch (error) {
		const message = messageOf(error);
		write(annotate({ level: "error", message: error instanceof BountyApiError ? `${message} (${error.code})` : message }));
		await writeReport(env, { outputs: NO_OUTPUTS, summary: "## Bounty\n\nNothing was submitted. The log of the step says why." });
		return exitCodeOf(error);
	}
}

async function comment(env: Environment, given: { token: string; taskId: string; summary: string }, write: World["write"]): Promise<void> {
	try {
		const isWritten = await writeComment(env, given);
		if (!isWritten) write(logLine("There is no pull request to comment on."));
	} catch (error) {
		write(annotate({ level: "warning", message: messageOf(error) }));
	}
}

async function finish(client: BountyClient, inputs: Inputs, write: World["write"]): Promise<Ending> {
	const work = await readWorkFolder(inputs.folder, { apiKey: inputs.apiKey });
	announce(work, inputs, write);
	if (inputs.isCheckOnly) return check(client, { inputs, work, write });
	try {
		const { taskId, skipsUnchanged } = inputs;
		const { id, isUnchanged } = await submitChanged(client, { taskId, files: work.files, isAgain: !skipsUnchanged });
		const waiting = await client.waitForSubmission(id, { timeoutMs: inputs.timeoutMs });
		return judge(waiting, { inputs, isUnchanged, write });
	} catch (error) {
		if (!(error instanceof BountyCheckError)) throw error;
		return endCheck(error.check, { inputs, write });
	}
}

function announce({ files, secrets, links, generated }: WorkFolder, { prefix }: Inputs, write: World["write"]): void {
	write(logLine(`${files.size} files`));
	if (generated.length > 0) write(logLine(`Left out because tools make them again: ${generated.join(", ")}`));
	for (const path of secrets) {
		write(annotate({ level: "warning", file: prefix + path, message: `${path} looks like a secret and was left out.` }));
	}
	if (links.length > 0) write(logLine(`Links that are not followed: ${links.join(", ")}`));
}

interface Step {
	readonly inputs: Inputs;
	readonly work: WorkFolder;
}

/** Checks the files, which uses no slot. */
async function check(client: BountyClient, { inputs, work, write }: Step & Pick<World, "write">): Promise<Ending> {
	return endCheck(await client.check(inputs.taskId, work.files), { inputs, write });
}

function endCheck(found: Schemas["CheckResult"], { inputs, write }: { inputs: Inputs; write: World["write"] }): Ending {
	for (const each of annotateCheck(found, inputs.prefix)) write(annotate(each));
	const outputs = { ...NO_OUTPUTS, status: found.ok ? "checked" : "rejected" };
	return { exitCode: found.ok ? EXIT.done : EXIT.check, outputs, summary: summarizeCheck(found) };
}

interface Judging {
	readonly inputs: Inputs;
	readonly isUnchanged: boolean;
	readonly write: World["write"];
}

function judge(submission: Schemas["Submission"], { inputs, isUnchanged, write }: Judging): Ending {
	const { scores, status, position, quota, error_message: error } = submission;
	for (const each of annotateEvidence(submission, inputs.prefix)) write(annotate(each));
	const outputs = outputsOf(submission, { isUnchanged });
	const summary = summarize(submission, { url: inputs.url, isUnchanged });
	if (scores === null || status !== "completed") {
		write(annotate({ level: "error", message: `Judging ended with ${status}${error === undefined ? "." : `: ${error}`}` }));
		return { exitCode: EXIT.judging, outputs, summary };
	}
	write(
		logLine(`score ${scores.final_score}, rank ${position ?? "none"}, slots left ${quota.remaining}${isUnchanged ? ", unchanged" : ""}`),
	);
	if (inputs.minimumScore === null || scores.final_score >= inputs.minimumScore) return { exitCode: EXIT.done, outputs, summary };
	write(annotate({ level: "error", message: `The score ${scores.final_score} is below ${inputs.minimumScore}.` }));
	return { exitCode: EXIT.score, outputs, summary };
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}

function exitCodeOf(error: unknown): number {
	if (!(error instanceof BountyApiError)) return error instanceof Error && error.name === "BountyUsageError" ? EXIT.usage : EXIT.failed;
	const { status } = error;
	if (status === 401 || status === 403) return EXIT.key;
	if (status === 404) return EXIT.missing;
	return status === 408 || status === 429 || status >= 500 ? EXIT.away : EXIT.rejected;
}
