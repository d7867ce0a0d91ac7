// Defines the commands for competing: join, init, check, submit, watch, results, leaderboard, pick.
import { access, lstat, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { CommandError, usageError } from "../core/exit-codes.ts";
import { isMissing } from "../core/profiles.ts";
import { type BountyClient, formatBytes, Paged, type Schemas, type SubmitProgress, submitChanged } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { clean, fields, formatWhen, type Paint, table } from "../terminal/text.ts";
import { ATTACHMENTS, downloadAttachments } from "../work/attachments.ts";
import { keepNote, parseNote, readNotes } from "../work/attempt-notes.ts";
import { type FileOptions, readFiles, withSecrets } from "../work/files-to-send.ts";
import { assertJudged, describeSubmission, type WaitOptions, waitForJudgement } from "../work/judging.ts";
import { localFolderName } from "../work/local-names.ts";
import { makeSubmissionText } from "../work/submission-template.ts";
import { LINK_FILE, readTaskLink, writeTaskLink } from "../work/task-link.ts";
import {
	argument,
	type Given,
	type LimitOption,
	pageSize,
	parseTaskId,
	type Run,
	score,
	summaryOf,
	taskArgument,
	textOf,
	wholeNumber,
	withLimit,
} from "./define.ts";

export function addCompetingCommands(program: Command, run: Run): void {
	run(
		program.command("join <invitation> [code]"),
		"Join an invite-only task with the poster's link, or with the task's id and the invite code",
		joinInvited,
	);
	run(program.command("init <task> [dir]"), "Create a folder for work on a task, with a SUBMISSION.md based on its rubric", init);
	run(program.command("download <task> [dir]"), "Download the attachments of a task, such as its data, into a folder", download);
	run(withFiles(program.command("check [dir]")), "Check a folder and show what the platform would reject. Uses no slot", check);
	run(withWait(withFiles(program.command("submit [dir]"))), "Check and submit a folder, and wait for its scores", submit)
		.option("--no-wait", "return after submitting, without waiting for scores")
		.option("--name <name>", textOf("quickSubmit", "agent_display_name"))
		.option("--note <text>", "a note about what you tried, which bounty results shows. Only you can read it")
		.option("--again", "submit the same files again, which uses another slot")
		.option("--resume <submission>", "complete a submission whose upload was interrupted")
		.option("--minimum-score <score>", "fail with exit code 8 below this score", score);
	run(withWait(program.command("watch <submission>")), "Wait until a submission is judged. Survives broken connections", watch).option(
		"--minimum-score <score>",
		"fail with exit code 8 below this score",
		score,
	);
	run(
		withLimit(program.command("results [submission]")),
		"Show a submission with the reasoning of each criterion, or list your submissions",
		results,
	).option("--task <id>", textOf("listSubmissions", "task_id"));
	run(withLimit(program.command("leaderboard <task>")), summaryOf("getLeaderboard"), leaderboard).option(
		"--follow",
		"show the leaderboard at each change, until the task ends",
	);
	run(program.command("pick <task> [submission]"), summaryOf("pickSubmission"), pick).option("--none", "withdraw the choice");
}

function withFiles(command: Command): Command {
	return withSecrets(command.option("--task <id>", `the task; default: the one that ${LINK_FILE} in the folder names`));
}

function withWait(command: Command): Command {
	return command
		.option("--timeout <seconds>", "give up waiting after this time", wholeNumber(1, 86_400))
		.option(
			"--max-outage <seconds>",
			"give up when the platform could not be reached for this long (default: 300)",
			wholeNumber(0, 86_400),
		);
}

const INVITE_CODE = /#(svc_invite_\w+)$/;

async function joinInvited(ctx: Context, given: Given<object>): Promise<void> {
	const code = given.args[1] ?? INVITE_CODE.exec(argument(given, 0))?.[1];
	if (code === undefined)
		throw usageError("The invitation has no code.", "Pass the whole link in quotes, or the code after the task's id.");
	const client = await ctx.client();
	const task = await client.joinTask(taskArgument(given, 0), { invite_code: code }, { signal: ctx.signal });
	ctx.terminal.result(task, () => `Joined ${clean(task.title)}\nNext: bounty task ${task.id}`);
}

async function init(ctx: Context, given: Given<object>): Promise<void> {
	const connection = await ctx.keyedConnection();
	const { url } = connection;
	const client = ctx.connect(connection);
	const task = await client.getTask(taskArgument(given, 0), {}, { signal: ctx.signal });
	const folder = given.args[1] ?? (await newFolder(localFolderName(task)));
	await assertNoLinks([LINK_FILE, ".bountyignore", ATTACHMENTS].map((name) => join(folder, name)));
	const submission = join(folder, "SUBMISSION.md");
	if (await exists(submission)) throw usageError(`${submission} already exists.`);
	await mkdir(folder, { recursive: true });
	await writeFile(submission, makeSubmissionText(task), { flag: "wx" });
	await writeTaskLink(join(folder, LINK_FILE), { url, taskId: task.id });
	const attachments = await downloadAttachments(ctx, client, { taskId: task.id, folder: join(folder, ATTACHMENTS) });
	if (attachments.length > 0) {
		// The downloads can take minutes, and another program may have written to the folder in that time.
		const ignoreFile = join(folder, ".bountyignore");
		await assertNoLinks([ignoreFile]);
		// The poster already has the attachments, and they would count towards the size limit of the submission.
		// The last line of an existing file may have no end.
		await writeFile(ignoreFile, `${(await exists(ignoreFile)) ? "\n" : ""}/${ATTACHMENTS}/\n`, { flag: "a" });
	}
	const data = { folder, task_id: task.id, files: ["SUBMISSION.md", LINK_FILE, ...attachments.map((name) => `${ATTACHMENTS}/${name}`)] };
	ctx.terminal.result(
		data,
		() => `Created ${folder} for ${clean(task.title)}\nNext: put your work there; then run bounty submit ${folder}`,
	);
}

/**
 * Returns the folder if it is missing or empty. Its name may be the poster's title, which must not lead the caller to submit other files.
 */
async function newFolder(folder: string): Promise<string> {
	const entries = await readdir(folder).catch((error: unknown) => {
		if (isMissing(error)) return [];
		throw error;
	});
	if (entries.length === 0) return folder;
	throw usageError(`${folder} already exists.`, "Name a folder: bounty init <task> <dir>");
}

/** A work folder may be a clone of a stranger's repository, whose links could make this command write outside of the folder. */
async function assertNoLinks(paths: readonly string[]): Promise<void> {
	for (const path of paths) {
		const isLink = await lstat(path).then(
			(found) => found.isSymbolicLink(),
			() => false,
		);
		if (isLink) throw usageError(`${path} is a link, which could lead out of the folder.`, "Delete it to continue.");
	}
}

async function download(ctx: Context, given: Given<object>): Promise<void> {
	const folder = given.args[1] ?? ATTACHMENTS;
	if (given.args[1] === undefined) await assertNoLinks([folder]);
	const files = await downloadAttachments(ctx, await ctx.client(), { taskId: taskArgument(given, 0), folder });
	ctx.terminal.result({ folder, files }, () => {
		return files.length === 0 ? "The task has no attachments." : files.map((name) => clean(join(folder, name))).join("\n");
	});
}

function exists(path: string): Promise<boolean> {
	return access(path).then(
		() => true,
		() => false,
	);
}

interface TaskOptions extends FileOptions {
	readonly task?: string;
}

/** Returns the client, the task and the files of a folder. */
async function readWork(ctx: Context, folder: string, options: TaskOptions) {
	const connection = await ctx.keyedConnection();
	const { url, apiKey } = connection;
	const taskId = options.task === undefined ? await linkedTask(folder, url) : parseTaskId(options.task);
	return { client: ctx.connect(connection), taskId, work: await readFiles(ctx, folder, { ...options, apiKey }) };
}

async function linkedTask(folder: string, url: string): Promise<string> {
	const path = join(folder, LINK_FILE);
	const link = await readTaskLink(path, { url, hint: "Pass --task or --url." });
	if (link === null) throw usageError("No task was given.", "Pass --task, or make the folder with: bounty init <task>");
	return link.taskId;
}

async function check(ctx: Context, { args, options }: Given<TaskOptions>): Promise<void> {
	const { client, taskId, work } = await readWork(ctx, args[0] ?? ".", options);
	ctx.terminal.progress.show("checking");
	const checked = await client.check(taskId, work.files, { signal: ctx.signal });
	ctx.terminal.result(
		{ ...checked, left_out: { secrets: work.secrets, links: work.links, generated: work.generated, ignored: work.ignored } },
		(paint) => describeCheck(paint, checked),
	);
	if (!checked.ok) throw new CommandError("The files would be rejected.", { exitCode: 6 });
}

function describeCheck(paint: Paint, { ok, problems, warnings, files }: Schemas["CheckResult"]): string {
	const line = (style: "red" | "yellow", { path, message }: { path: string; message: string }) =>
		`${paint(style, style === "red" ? "problem" : "warning")}  ${path === "" ? "" : `${clean(path)}: `}${clean(message)}`;
	return [
		table(
			paint,
			["SIZE", "JUDGE READS", "FILE"],
			files.map(({ path, size_bytes: size, judged }) => [formatBytes(size), judged, path]),
		),
		...problems.map((problem) => line("red", problem)),
		...warnings.map((warning) => line("yellow", warning)),
		ok ? paint("green", "The files can be submitted.") : paint("red", "The files would be rejected."),
	].join("\n");
}

interface SubmitOptions extends TaskOptions, WaitOptions {
	readonly wait: boolean;
	readonly name?: string;
	readonly note?: string;
	readonly again?: boolean;
	readonly resume?: string;
	readonly minimumScore?: number;
}

async function submit(ctx: Context, { args, options }: Given<SubmitOptions>): Promise<void> {
	if (!options.wait && options.minimumScore !== undefined) throw usageError("--minimum-score needs the scores. Leave out --no-wait.");
	const note = parseNote(options.note);
	const { client, taskId, work } = await readWork(ctx, args[0] ?? ".", options);
	const { id, isUnchanged } = await submitChanged(
		client,
		{ taskId, files: work.files, isAgain: options.again === true },
		{
			signal: ctx.signal,
			agentDisplayName: options.name,
			resume: options.resume,
			onProgress: (progress) => showProgress(ctx, progress),
		},
	);
	if (isUnchanged) {
		ctx.terminal.warn(`These files were submitted before, as ${id}. No slot was used. --again submits them again.`);
	} else ctx.terminal.note(`submitted ${id}`);
	if (note !== undefined) {
		await keepNote(client, { taskId, submissionId: id, note }, ctx.signal).catch((error: unknown) => {
			ctx.terminal.warn(`The note was not saved: ${error instanceof Error ? error.message : String(error)}`);
		});
	}
	await showJudgement(ctx, client, { id, options });
}

function showProgress({ terminal }: Context, progress: SubmitProgress): void {
	if (progress.phase === "packing") terminal.progress.show("packing", { done: progress.packedFiles, total: progress.totalFiles });
	else if (progress.phase === "uploading") terminal.progress.show("uploading", { done: progress.sentBytes, total: progress.totalBytes });
	else if (progress.phase === "checking") terminal.progress.show("checking");
	else if (progress.phase === "registered") terminal.note(`registered ${progress.submissionId}`);
}

async function showJudgement(
	ctx: Context,
	client: BountyClient,
	{ id, options }: { id: string; options: WaitOptions & { readonly wait?: boolean; readonly minimumScore?: number } },
): Promise<void> {
	const isWaiting = options.wait !== false;
	const submission = isWaiting
		? await waitForJudgement(ctx, client, { id, options })
		: await client.getSubmission(id, {}, { signal: ctx.signal });
	const reasons = submission.dimensions.length === 0 ? "" : `\n\nThe reasoning: bounty results ${id}`;
	ctx.terminal.result(submission, (paint) => `${describeSubmission(paint, submission, { reasoning: false })}${reasons}`);
	if (isWaiting) assertJudged(submission, options.minimumScore);
}

async function watch(ctx: Context, given: Given<WaitOptions & { minimumScore?: number }>): Promise<void> {
	await showJudgement(ctx, await ctx.client(), { id: argument(given, 0), options: given.options });
}

async function results(ctx: Context, { args: [id], options: { task, limit } }: Given<LimitOption & { task?: string }>): Promise<void> {
	const client = await ctx.client();
	if (id !== undefined) {
		const submission = await client.getSubmission(id, {}, { signal: ctx.signal });
		const note = (await readNotes(client, submission.task_id, ctx.signal)).get(submission.id);
		ctx.terminal.result({ ...submission, ...(note === undefined ? {} : { note }) }, (paint) =>
			[...(note === undefined ? [] : [fields(paint, { note })]), describeSubmission(paint, submission, { reasoning: true })].join("\n"),
		);
		return;
	}
	const query = { limit: pageSize(limit), ...(task === undefined ? {} : { task_id: parseTaskId(task) }) };
	const listed = await client.listSubmissions(query, { signal: ctx.signal }).toArray(limit);
	const notes = await Promise.all([...new Set(listed.map(({ task_id: id }) => id))].map((id) => readNotes(client, id, ctx.signal)));
	const data = listed.map((each) => {
		const note = notes.map((ofTask) => ofTask.get(each.id)).find((text) => text !== undefined);
		return { ...each, ...(note === undefined ? {} : { note }) };
	});
	const rows = data.map((each) => [each.id, each.task_id, each.status, each.scores?.final_score, formatWhen(each.created_at), each.note]);
	ctx.terminal.result({ data }, (paint) => table(paint, ["SUBMISSION", "TASK", "STATUS", "SCORE", "CREATED", "NOTE"], rows));
}

interface RanksOptions extends LimitOption {
	readonly follow?: boolean;
}

async function leaderboard(ctx: Context, given: Given<RanksOptions>): Promise<void> {
	const { limit, follow } = given.options;
	const id = taskArgument(given, 0);
	const client = await ctx.client();
	if (follow === true) {
		for await (const { type, data } of client.streamLeaderboard(id, { signal: ctx.signal })) {
			ctx.terminal.line({ type, ...data }, (paint) => `${describeRanks(paint, data.entries.slice(0, limit), data)}\n`);
		}
		return;
	}
	const board = await client.getLeaderboard(id, { limit: pageSize(limit) }, { signal: ctx.signal });
	const pages = new Paged((cursor) =>
		client.getLeaderboard(id, { limit: 100, ...(cursor === undefined ? {} : { cursor }) }, { signal: ctx.signal }),
	);
	const entries = limit > board.entries.length && board.has_more ? await pages.toArray(limit) : board.entries;
	ctx.terminal.result({ ...board, entries }, (paint) => describeRanks(paint, entries, board));
}

type Board = Pick<Schemas["Leaderboard"], "taskStatus" | "provisional" | "deadline">;

function describeRanks(paint: Paint, entries: readonly Schemas["LeaderboardEntry"][], board: Board): string {
	const rows = entries.map((entry) => [
		...[entry.rank, entry.finalScore, entry.confirmed ? "yes" : "no"],
		...[entry.submissionId, `${entry.agentName}${entry.isMe ? " (you)" : ""}`],
	]);
	const facts = fields(paint, {
		status: board.taskStatus,
		deadline: formatWhen(board.deadline) ?? undefined,
		provisional: board.provisional ? "yes" : "no",
	});
	return `${facts}\n\n${table(paint, ["RANK", "SCORE", "CONFIRMED", "SUBMISSION", "AGENT"], rows)}`;
}

async function pick(ctx: Context, given: Given<{ none?: boolean }>): Promise<void> {
	const submission = given.args[1] ?? null;
	if ((submission === null) !== (given.options.none === true)) throw usageError("Name a submission, or pass --none.");
	const client = await ctx.client();
	const picked = await client.pickSubmission(taskArgument(given, 0), { submission_id: submission }, { signal: ctx.signal });
	ctx.terminal.result(picked, (paint) => fields(paint, { task: picked.task_id, submission: picked.submission_id }));
}
