// Keeps a draft in sync with its task.yaml.

import { CommandError, usageError } from "../core/exit-codes.ts";
import { BountyApiError, type BountyClient, type Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields, type Paint } from "../terminal/text.ts";
import { type NewTask, readTaskFile } from "../work/task-file.ts";
import { readTaskLink, writeTaskLink } from "../work/task-link.ts";
import { publishDraft, updateDraft } from "../work/update-draft.ts";

type Draft = Schemas["TaskDetail"] & { readonly eval_callback_token?: string };

export interface FinishedDraft {
	readonly task: Draft;
	readonly published: boolean;
	readonly lint: Schemas["LintResult"];
	readonly warnings: readonly Schemas["TaskWarning"][];
}

export interface PostedTask extends FinishedDraft {
	/** The file with the draft's id. */
	readonly link: string;
	readonly created: boolean;
}

const TASK_FILE = /\.ya?ml$/i;

/** Returns the path of `task.bounty.json`, which records the draft of `task.yaml`. */
function linkPath(file: string): string {
	return `${file.replace(TASK_FILE, "")}.bounty.json`;
}

function readLink(path: string, url: string): ReturnType<typeof readTaskLink> {
	return readTaskLink(path, { url, hint: "Pass --url, or move the file away." });
}

/**
 * Returns the id in an argument, which is an id or a task file.
 *
 * @throws CommandError for a file that was not posted.
 */
export async function readPostedTask(text: string, url: string): Promise<string> {
	if (!TASK_FILE.test(text)) return text;
	const link = await readLink(linkPath(text), url);
	if (link === null) throw usageError(`${text} was not posted yet.`, `Run: bounty post ${text}`);
	return link.taskId;
}

/** Creates or updates the draft, lints it, and publishes it on request. */
export async function post(ctx: Context, file: string, { publish }: { publish: boolean }): Promise<PostedTask> {
	const wanted = await readTaskFile(file);
	const client = await ctx.client();
	const path = linkPath(file);
	const link = await readLink(path, client.baseUrl);
	const { signal, terminal } = ctx;
	const task = link === null ? await client.createTask(wanted, { signal }) : await update(ctx, client, { wanted, id: link.taskId, path });
	try {
		if (link === null) await writeTaskLink(path, { url: client.baseUrl, taskId: task.id });
		return { ...(await finishDraft(ctx, client, { task, publish })), link: path, created: link === null };
	} catch (error) {
		const { eval_callback_token: token } = task;
		// The platform never shows it again.
		if (token !== undefined) terminal.result({ task }, (paint) => fields(paint, { task: task.id, "callback token": token }));
		throw error;
	}
}

/** Lints a draft, and publishes it on request, after asking. */
export async function finishDraft(
	{ signal, terminal }: Context,
	client: BountyClient,
	{ task, publish }: { readonly task: Draft; readonly publish: boolean },
): Promise<FinishedDraft> {
	const lint = await client.lintTask(task.id, { signal });
	let { warnings = [], status } = task;
	if (publish) {
		for (const { severity, criterion, message } of lint.findings) terminal.note(`${severity}  ${criterion}: ${message}`);
		await confirmStep(terminal, `Publish "${task.title}"? A published task cannot be edited.`);
		({ warnings, status } = await publishDraft(client, task.id, { signal }));
	}
	return { task: { ...task, status }, published: publish, lint, warnings };
}

/** Describes a posted draft, with facts about its source. */
export function describePosted(
	paint: Paint,
	{ task, lint, published, warnings }: FinishedDraft,
	facts: Readonly<Record<string, string | undefined>>,
): string {
	const shown = fields(paint, { task: task.id, title: task.title, status: published ? "open" : "draft", ...facts });
	const findings = lint.findings.map(
		({ severity, criterion, message }) => `${paint("yellow", severity)}  ${clean(criterion)}: ${clean(message)}`,
	);
	const notices = warnings.map(({ message }) => `${paint("yellow", "warning")}  ${clean(message)}`);
	const next = published ? [] : ["", "Publish it with --publish."];
	return [shown, ...findings, ...notices, ...next].join("\n");
}

async function update(
	ctx: Context,
	client: BountyClient,
	{ wanted, id, path }: { wanted: NewTask; id: string; path: string },
): Promise<Draft> {
	const { signal } = ctx;
	const { status } = await client.getTask(id, {}, { signal }).catch((error: unknown) => {
		if (!(error instanceof BountyApiError) || error.code !== "NOT_FOUND") throw error;
		const hints = [`Delete ${path} to make a new draft.`];
		throw new CommandError(`The task ${id} that ${path} names does not exist.`, { exitCode: 4, hints, cause: error });
	});
	if (status !== "draft") {
		const hints = [`Move ${path} away to make a new draft from the file.`];
		throw new CommandError(`Task ${id} is ${status}. Only drafts can be changed.`, { exitCode: 5, hints });
	}
	return updateDraft(client, { id, wanted }, { signal });
}
