// Turns an issue into a task when someone with write access to the repository sets a label.
import { CommandError } from "../../cli/src/core/exit-codes.ts";
import { findGitHub, GitHub, GitHubError } from "../../cli/src/issues/github.ts";
import { readIssueTask } from "../../cli/src/issues/issue-task.ts";
import { type PostedIssue, postIssue } from "../../cli/src/issues/post-issue.ts";
import { publishDraft } from "../../cli/src/work/update-draft.ts";
import { isRecord } from "../../sdk/src/core/json.ts";
import type { BountyClient, Schemas } from "../../sdk/src/node.ts";
import { writeComment } from "./comment.ts";
import type { Ending, Write } from "./ending.ts";
import { readLabeledIssue } from "./event.ts";
import type { Environment, PostInputs } from "./inputs.ts";
import { annotate, escapeMarkup, logLine, NO_OUTPUTS, toPathPart } from "./report.ts";

/** GitHub reports the role maintain as `write`, and a custom role as one of these or a lower one. */
const WRITERS = ["admin", "maintain", "write"];

/** The result of the mode post, with the issue that the comment is written on. */
export interface PostEnding extends Ending {
	/** The issue that was posted. Null if none was. */
	readonly issue: { readonly number: number; readonly key: string } | null;
}

interface World {
	readonly env: Environment;
	readonly write: Write;
}

/** Posts the issue of the event, and publishes its task on request. @throws CommandError if the sender may not write. */
export async function postLabeledIssue(client: BountyClient, inputs: PostInputs, { env, write }: World): Promise<PostEnding> {
	const labeled = await readLabeledIssue(env, inputs.label);
	if (labeled === null) {
		write(logLine(`The label is not ${inputs.label}, so nothing was posted.`));
		return { exitCode: 0, outputs: NO_OUTPUTS, summary: "## Bounty\n\nAnother label was set, so nothing was posted.", issue: null };
	}
	const { issue, sender } = labeled;
	await assertMayWrite(env, { token: inputs.token, sender });
	const wanted = readIssueTask(issue, { terms: inputs.terms, now: Date.now() });
	const posted = await postIssue(client, wanted, {});
	write(logLine(`task ${posted.task.id}, ${posted.outcome}, ${posted.task.status}`));
	const isDraft = posted.task.status === "draft";
	const lint = isDraft ? await client.lintTask(posted.task.id) : null;
	const published = isDraft && inputs.isPublishing ? await publishDraft(client, posted.task.id, {}) : null;
	const status = published?.status ?? posted.task.status;
	const report = {
		posted,
		status,
		hints: [...(lint?.findings ?? []).map(hintOf), ...(published?.warnings ?? []).map(({ message }) => message)],
	};
	const url = linkTo(inputs.url, { id: posted.task.id, status });
	if (published !== null) write(logLine("published"));
	if (posted.outcome === "kept") write(annotate({ level: "warning", message: KEPT }));
	return {
		exitCode: 0,
		outputs: { ...NO_OUTPUTS, status, "task-id": posted.task.id, "task-url": url, outcome: posted.outcome },
		summary: summarizePost(report, url),
		issue: { number: issue.number, key: issue.key },
	};
}

/** People who may only read or triage must not spend the poster's money. */
async function assertMayWrite(env: Environment, { token, sender }: { token: string; sender: string }): Promise<void> {
	const github = new GitHub({ api: findGitHub(env).api, token });
	const to = `/repos/${env["GITHUB_REPOSITORY"]}/collaborators/${encodeURIComponent(sender)}/permission`;
	const found = await github.send({ to, needs: "metadata: read" }).catch((error: unknown) => {
		// GitHub responds 404 for a sender that is not a user, such as an app.
		if (error instanceof GitHubError && error.status === 404) return { permission: "none" };
		throw error;
	});
	const permission = isRecord(found) ? String(found["permission"]) : "none";
	if (WRITERS.includes(permission)) return;
	throw new CommandError(
		`${sender} set the label, but has only the permission ${permission} in this repository. Setting the label requires write access.`,
		{
			exitCode: 3,
			hints: ["Someone with write access must remove the label and set it again."],
		},
	);
}

const KEPT = "The issue has changed since its task was published. A published task cannot be changed, so it stays as it is.";

const TOLD: Readonly<Record<PostedIssue["outcome"], string>> = {
	created: "This issue is now a task.",
	updated: "The issue already has this task. The draft was updated to the issue's current text.",
	unchanged: "The issue already has this task.",
	kept: KEPT,
};

function hintOf({ severity, criterion, message }: Schemas["LintResult"]["findings"][number]): string {
	return `${severity}: ${criterion}: ${message}`;
}

interface Report {
	readonly posted: PostedIssue;
	readonly status: string;
	readonly hints: readonly string[];
}

/** Returns the task as Markdown: its link, what happened to it, and what the platform advises. */
function summarizePost({ posted: { task, outcome }, status, hints }: Report, url: string): string {
	const next = status === "draft" ? ["It is a draft, which only its poster can see. Publish it in the console.", ""] : [];
	return [
		`## Bounty: ${escapeMarkup(status)}`,
		"",
		`[${escapeMarkup(task.title)}](${url})`,
		"",
		TOLD[outcome],
		"",
		...next,
		...hints.map((hint) => `- ${escapeMarkup(hint)}`),
	].join("\n");
}

/** Returns the URL of the task. A draft has no public page, so its URL leads to the console. */
function linkTo(platform: string, { id, status }: { id: string; status: string }): string {
	return `${new URL(platform).origin}${status === "draft" ? "/console" : ""}/tasks/${toPathPart(id)}`;
}

/** Writes the summary as a comment on the issue. Each run replaces it. */
export async function commentOnIssue(env: Environment, { token, isCommenting }: PostInputs, { issue, summary }: PostEnding): Promise<void> {
	if (issue === null || !isCommenting) return;
	const github = new GitHub({ api: findGitHub(env).api, token });
	await writeComment(env, github, { number: issue.number, mark: `issue=${issue.key}`, text: summary, needs: "issues: write" });
}
