// Defines the commands for posters: post, dry-run, review, files, export.
import { open } from "node:fs/promises";
import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError, usageError } from "../core/exit-codes.ts";
import { encodeFiles, formatBytes, readPieces, type Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { fields, formatWhen, type Paint } from "../terminal/text.ts";
import { type FileOptions, readFiles, withSecrets } from "../work/files-to-send.ts";
import { describeDimensions } from "../work/judging.ts";
import {
	argument,
	type Given,
	type LimitOption,
	pageSize,
	type Run,
	summaryOf,
	taskArgument,
	textOf,
	wholeNumber,
	withLimit,
} from "./define.ts";
import { showList } from "./listing.ts";
import { describePosted, post, readPostedTask } from "./post.ts";
import { assertNoIssueOptions, type IssueOptions, postFromIssue, withIssue } from "./post-issue.ts";

export function addPostingCommands(program: Command, run: Run): void {
	withIssue(
		run(
			program.command("post [file]").option("--publish", "open the task for submissions, after asking you"),
			"Create or update a draft from a task.yaml or a GitHub issue, and lint its rubric. Stores the draft's id next to the file",
			postTask,
		),
	);
	run(
		withSecrets(program.command("dry-run <task> <dir>")),
		"Have a folder judged against your task, outside of the competition. <task> is an id or a task.yaml",
		dryRun,
	)
		.option("--label <label>", textOf("startDryRun", "label"))
		.option("--expect <criterion=score>", "the score that you expect; repeatable", collectExpected)
		.option("--no-wait", "return at once, without waiting for the score")
		.option("--timeout <seconds>", "give up waiting after this time", wholeNumber(1, 86_400));
	run(withLimit(program.command("review <task>")), "List the submissions that your task has received, best first", review);
	run(withLimit(program.command("files <submission> [path]"), 1_000), "List the files of a submission, or show one", files).option(
		"-o, --output <file>",
		"write the file there",
	);
	run(program.command("export <task>"), summaryOf("exportTask"), exportTask)
		.addOption(
			new Option("--format <format>", `${textOf("exportTask", "format")}; default: csv, with --json jsonl`).choices(["csv", "jsonl"]),
		)
		.option("-o, --output <file>", "write there instead of standard output");
}

async function postTask(ctx: Context, given: Given<IssueOptions>): Promise<void> {
	const { options, args } = given;
	if (options.fromIssue !== undefined) return postFromIssue(ctx, given);
	assertNoIssueOptions(options);
	if (args[0] === undefined) throw usageError("post needs a file or an issue.", "Pass a task.yaml, or --from-issue <issue>.");
	const posted = await post(ctx, args[0], { publish: options.publish === true });
	const { task, link, created } = posted;
	ctx.terminal.result(posted, (paint) =>
		describePosted(paint, posted, {
			draft: created ? "created" : "updated",
			"id kept in": link,
			"callback token": task.eval_callback_token,
		}),
	);
}

function collectExpected(text: string, before: Readonly<Record<string, number>> | undefined): Readonly<Record<string, number>> {
	const at = text.lastIndexOf("=");
	const value = Number(text.slice(at + 1));
	if (at < 1 || text.slice(at + 1).trim() === "" || !(value >= 0 && value <= 100))
		throw new InvalidArgumentError("It must look like Name=80.");
	return { ...before, [text.slice(0, at)]: value };
}

interface DryRunOptions extends FileOptions {
	readonly label?: string;
	readonly expect?: Readonly<Record<string, number>>;
	readonly wait: boolean;
	readonly timeout?: number;
}

async function dryRun(ctx: Context, given: Given<DryRunOptions>): Promise<void> {
	const { label, expect, wait, timeout, includeSecrets } = given.options;
	const { signal, terminal } = ctx;
	const connection = await ctx.keyedConnection();
	const { url, apiKey } = connection;
	const client = ctx.connect(connection);
	const taskId = await readPostedTask(taskArgument(given, 0), url);
	const { files: sent } = await readFiles(ctx, argument(given, 1), { includeSecrets, apiKey });
	const { id } = await client.startDryRun(
		taskId,
		{
			files: await encodeFiles(sent),
			...(label === undefined ? {} : { label }),
			...(expect === undefined ? {} : { expected: { ...expect } }),
		},
		{ signal },
	);
	terminal.progress.show(`judging dry run ${id}`);
	const run = wait
		? await client.waitForDryRun(id, { signal, ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }) })
		: await client.getDryRun(id, { signal });
	terminal.result(run, (paint) => describeDryRun(paint, run));
	if (run.status === "evaluation_failed") throw new CommandError(run.error_message ?? `Dry run ${id} failed.`, { exitCode: 7 });
}

function describeDryRun(paint: Paint, run: Schemas["DryRun"]): string {
	const facts = fields(paint, {
		...{ "dry run": run.id, status: run.status, score: run.scores?.final_score },
		"mean difference to what you expected": run.agreement?.mean_absolute_error ?? undefined,
	});
	return run.dimensions.length === 0 ? facts : `${facts}\n\n${describeDimensions(paint, run.dimensions, { reasoning: true })}`;
}

async function review(ctx: Context, given: Given<LimitOption>): Promise<void> {
	const { limit } = given.options;
	const id = taskArgument(given, 0);
	const client = await ctx.client();
	const page = { limit: pageSize(limit) };
	const list = client.listTaskSubmissions(id, { ...page, sort: "score" }, { signal: ctx.signal });
	showList(ctx, await list.toArray(limit), {
		SUBMISSION: (each) => each.id,
		STATUS: ({ status }) => status,
		SCORE: (each) => each.evaluation_results.final_score,
		"AGENT ID": (each) => each.agent_id,
		AGENT: (each) => each.agent_display_name,
		CREATED: (each) => formatWhen(each.created_at),
	});
}

async function files(ctx: Context, given: Given<LimitOption & { output?: string }>): Promise<void> {
	const { limit, output } = given.options;
	const id = argument(given, 0);
	const path = given.args[1];
	const client = await ctx.client();
	if (path === undefined) {
		if (output !== undefined) throw usageError("--output needs the path of a file.");
		const list = client.listSubmissionFiles(id, { limit: pageSize(limit) }, { signal: ctx.signal });
		return showList(ctx, await list.toArray(limit), {
			SIZE: (file) => formatBytes(file.size_bytes),
			"JUDGE READ": ({ judged }) => judged,
			FILE: (file) => file.path,
		});
	}
	await writeContent(ctx, readPieces(await client.readSubmissionFile(id, path, { signal: ctx.signal })), { path, output });
}

/** Writes bytes to a file, or to standard output. With `--json` they are base64 in an object. */
export async function writeContent(
	ctx: Context,
	chunks: AsyncIterable<Uint8Array>,
	{ path, output }: { path: string; output: string | undefined },
): Promise<void> {
	const { terminal } = ctx;
	if (output !== undefined) {
		const size = await writeTo(output, chunks);
		terminal.result({ path, output, size_bytes: size }, () => `Wrote ${formatBytes(size)} to ${output}`);
	} else if (terminal.isJson) {
		const parts: Uint8Array[] = [];
		for await (const chunk of chunks) parts.push(chunk);
		const content = Buffer.concat(parts);
		terminal.result({ path, size_bytes: content.length, content_base64: content.toString("base64") }, () => "");
	} else await terminal.raw(chunks);
}

async function writeTo(output: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
	const file = await open(output, "w");
	let size = 0;
	try {
		for await (const chunk of chunks) {
			// Unlike `write`, this writes the whole chunk.
			await file.writeFile(chunk);
			size += chunk.byteLength;
		}
	} finally {
		await file.close();
	}
	return size;
}

async function exportTask(ctx: Context, given: Given<{ format?: "csv" | "jsonl"; output?: string }>): Promise<void> {
	const { format = ctx.terminal.isJson ? "jsonl" : "csv", output } = given.options;
	if (ctx.terminal.isJson && format === "csv" && output === undefined) throw usageError("--json prints JSON only. Use --format jsonl.");
	const client = await ctx.client();
	const exported = await client.exportTask(taskArgument(given, 0), { format }, { signal: ctx.signal });
	if (output === undefined) {
		await ctx.terminal.raw(readPieces(exported));
		return;
	}
	const size = await writeTo(output, readPieces(exported));
	ctx.terminal.result({ output, size_bytes: size }, () => `Wrote ${formatBytes(size)} to ${output}`);
}
