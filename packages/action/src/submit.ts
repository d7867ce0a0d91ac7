// Checks or submits a folder, waits for its scores, and reports them.
import { findGitHub, GitHub } from "../../cli/src/issues/github.ts";
import { submitChanged } from "../../sdk/src/changed-work.ts";
import { BountyCheckError, type BountyClient, readWorkFolder, type Schemas, type WorkFolder } from "../../sdk/src/node.ts";
import { writeComment } from "./comment.ts";
import type { Ending, Write } from "./ending.ts";
import { readPullRequest } from "./event.ts";
import type { Environment, SubmitInputs } from "./inputs.ts";
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
} from "./report.ts";

/** The work was submitted, but the wait for its scores failed. */
export class WaitError extends Error {
	override readonly name = "WaitError";
	readonly outputs: Outputs;

	constructor(cause: unknown, outputs: Outputs) {
		super("The wait for the scores failed.", { cause });
		this.outputs = outputs;
	}
}

/** Submits the folder, or only checks it. @throws WaitError, or the error of a request before it. */
export async function submitWork(client: BountyClient, inputs: SubmitInputs, write: Write): Promise<Ending> {
	const work = await readWorkFolder(inputs.folder, { apiKey: inputs.apiKey });
	announce(work, inputs, write);
	if (inputs.isCheckOnly) return check(client, { inputs, work, write });
	try {
		const { taskId, skipsUnchanged } = inputs;
		const { id, isUnchanged } = await submitChanged(client, { taskId, files: work.files, isAgain: !skipsUnchanged });
		const submission = await client.waitForSubmission(id, { timeoutMs: inputs.timeoutMs }).catch((error: unknown) => {
			throw new WaitError(error, { ...NO_OUTPUTS, "submission-id": id, unchanged: String(isUnchanged) });
		});
		return judge(submission, { inputs, isUnchanged, write });
	} catch (error) {
		if (!(error instanceof BountyCheckError)) throw error;
		return endCheck(error.check, { inputs, write });
	}
}

function announce({ files, secrets, links, generated }: WorkFolder, { prefix }: SubmitInputs, write: Write): void {
	write(logLine(`${files.size} files`));
	if (generated.length > 0) write(logLine(`Left out because tools can regenerate them: ${generated.join(", ")}`));
	for (const path of secrets) {
		write(annotate({ level: "warning", file: prefix + path, message: `${path} looks like a secret and was left out.` }));
	}
	if (links.length > 0) write(logLine(`Left out because these links do not lead to a file that is sent: ${links.join(", ")}`));
}

interface Step {
	readonly inputs: SubmitInputs;
	readonly work: WorkFolder;
}

/** Checks the files, which uses no slot. */
async function check(client: BountyClient, { inputs, work, write }: Step & { readonly write: Write }): Promise<Ending> {
	return endCheck(await client.check(inputs.taskId, work.files), { inputs, write });
}

function endCheck(found: Schemas["CheckResult"], { inputs, write }: { inputs: SubmitInputs; write: Write }): Ending {
	for (const each of annotateCheck(found, inputs.prefix)) write(annotate(each));
	const outputs = { ...NO_OUTPUTS, status: found.ok ? "checked" : "rejected" };
	return { exitCode: found.ok ? 0 : 6, outputs, summary: summarizeCheck(found) };
}

interface Judging {
	readonly inputs: SubmitInputs;
	readonly isUnchanged: boolean;
	readonly write: Write;
}

function judge(submission: Schemas["Submission"], { inputs, isUnchanged, write }: Judging): Ending {
	const { scores, status, position, quota, error_message: error } = submission;
	for (const each of annotateEvidence(submission, inputs.prefix)) write(annotate(each));
	const outputs = outputsOf(submission, { isUnchanged });
	const summary = summarize(submission, { url: inputs.url, isUnchanged });
	if (scores === null || status !== "completed") {
		write(annotate({ level: "error", message: `Judging ended with ${status}${error === undefined ? "." : `: ${error}`}` }));
		return { exitCode: 7, outputs, summary };
	}
	write(
		logLine(`score ${scores.final_score}, rank ${position ?? "none"}, slots left ${quota.remaining}${isUnchanged ? ", unchanged" : ""}`),
	);
	if (inputs.minimumScore === null || scores.final_score >= inputs.minimumScore) return { exitCode: 0, outputs, summary };
	write(annotate({ level: "error", message: `The score ${scores.final_score} is below ${inputs.minimumScore}.` }));
	return { exitCode: 8, outputs, summary };
}

/** Writes the summary as a comment on the pull request, if there is one. */
export async function commentOnWork(
	env: Environment,
	{ commentToken: token, taskId }: SubmitInputs,
	{ summary, write }: { summary: string; write: Write },
): Promise<void> {
	if (token === null) return;
	const number = await readPullRequest(env);
	if (number === null) {
		write(logLine("There is no pull request to comment on."));
		return;
	}
	const github = new GitHub({ api: findGitHub(env).api, token });
	await writeComment(env, github, { number, mark: `task=${taskId.toLowerCase()}`, text: summary, needs: "pull-requests: write" });
}
