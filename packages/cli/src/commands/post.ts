// Keeps a draft in step with its task.yaml.

import { CommandError, usageError } from "../core/exit-codes.ts";
import { BountyApiError, type BountyClient, type Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { type NewTask, readTaskFile } from "../work/task-file.ts";
import { readTaskLink, writeTaskLink } from "../work/task-link.ts";

type Draft = Schemas["TaskDetail"] & { readonly eval_callback_token?: string };

export interface PostedTask {
	readonly task: Draft;
	/** This file contains the draft's id. */
	readonly link: string;
	readonly created: boolean;
	readonly published: boolean;
	readonly lint: Schemas["LintResult"];
	readonly warnings: readonly Schemas["TaskWarning"][];
}

const TASK_FILE = /\.ya?ml$/i;

/** Returns the path of `task.bounty.json`, in which `task.yaml` remembers its draft. */
function linkPath(file: string): string {
	return `${file.replace(TASK_FILE, "")}.bounty.json`;
}

function readLink(path: string, url: string): ReturnType<typeof readTaskLink> {
	return readTaskLink(path, { url, hint: "Pass --url, or move the file away." });
}

/** Returns the id of an argument that is an id or a task file. @throws CommandError for a file that was not posted. */
export async function readPostedTask(text: string, url: string): Promise<string> {
	if (!TASK_FILE.test(text)) return text;
	const link = await readLink(linkPath(text), url);
	if (link === null) throw usageError(`${text} was not posted yet.`, `Run: bounty post ${text}`);
	return link.taskId;
}

/** Creates or updates the draft, lints it, and publishes it on request. */
export async function post(ctx: Context, file: string, { publish }: { publish: boolean }): Promise<PostedTask> {
	const { signal, terminal } = ctx;
	const wanted = await readTaskFile(file);
	const client = await ctx.client();
	const path = linkPath(file);
	const link = await readLink(path, client.baseUrl);
	const task = link === null ? await create(ctx, client, { wanted, path }) : await update(ctx, client, { wanted, id: link.taskId, path });
	const lint = await client.lintTask(task.id, { signal });
	let { warnings = [], status } = task;
	if (publish) {
		for (const { severity, criterion, message } of lint.findings) terminal.note(`${severity}  ${criterion}: ${message}`);
		await confirmStep(terminal, `Publish "${task.title}"? A published task cannot be edited.`);
		const published = await client.publishTask(task.id, { signal });
		warnings = published.warnings;
		status = published.status;
	}
	return { task: { ...task, status }, link: path, created: link === null, published: publish, lint, warnings };
}

async function create(ctx: Context, client: BountyClient, { wanted, path }: { wanted: NewTask; path: string }): Promise<Draft> {
	const task = await client.createTask(wanted, { signal: ctx.signal });
	await writeTaskLink(path, { url: client.baseUrl, taskId: task.id });
	return task;
}

/** The file has all texts of the draft, so a text that it no longer has is emptied. */
const NO_TEXTS = { description: null, input_spec: null, output_spec: null };

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
	const { criteria, ...rest } = wanted;
	if (criteria !== undefined) await client.replaceRubric(id, { criteria }, { signal });
	return client.updateTask(id, { ...NO_TEXTS, ...rest }, { signal });
}
