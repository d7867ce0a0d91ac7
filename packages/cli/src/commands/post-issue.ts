// Defines the options of `bounty post` that turn a GitHub issue into a task.
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { stringify } from "yaml";
import { usageError } from "../core/exit-codes.ts";
import { fetchIssue } from "../issues/github.ts";
import { parseIssue } from "../issues/issue.ts";
import { type IssueTask, readIssueTask } from "../issues/issue-task.ts";
import type { Terms } from "../issues/issue-terms.ts";
import { postIssue } from "../issues/post-issue.ts";
import type { Context } from "../terminal/context.ts";
import { fields } from "../terminal/text.ts";
import { type Given, textOf, wholeNumber } from "./define.ts";
import { describePosted, finishDraft } from "./post.ts";

/** The options that override an issue's own terms. */
interface TermOptions {
	readonly budgetCents?: number;
	readonly deadline?: string;
	readonly category?: string;
	readonly maxSubmissionsPerAgent?: number;
	readonly finalRound?: boolean;
	readonly sealed?: boolean;
}

export interface IssueOptions extends TermOptions {
	readonly fromIssue?: string;
	readonly publish?: boolean;
	readonly dryRun?: boolean;
}

/** Adds the options for issues to the command. */
export function withIssue(command: Command): Command {
	const own = (field: Parameters<typeof textOf<"createTask">>[1]) => `${textOf("createTask", field)}; overrides the issue`;
	return command
		.option(
			"--from-issue <issue>",
			"the issue to post instead of a file: its URL, owner/repository#number, or - for GitHub's JSON on standard input",
		)
		.option("--dry-run", "only print the task that the issue would become, as a task.yaml")
		.option("--budget-cents <cents>", own("budget_cents"), wholeNumber(0))
		.option("--deadline <deadline>", `${own("deadline")}. Such as 14d, or 2026-12-24T10:00:00Z`)
		.option("--category <word>", own("category"))
		.option("--max-submissions-per-agent <count>", own("max_submissions_per_agent"), wholeNumber(0))
		.option("--final-round", own("final_round"))
		.option("--no-final-round", "no final round, even if the issue says so")
		.option("--sealed", own("sealed"))
		.option("--no-sealed", "not sealed, even if the issue says so");
}

function termsOf({ budgetCents, deadline, category, maxSubmissionsPerAgent, finalRound, sealed }: TermOptions): Terms {
	return {
		...(budgetCents === undefined ? {} : { budget_cents: budgetCents }),
		...(deadline === undefined ? {} : { deadline }),
		...(category === undefined ? {} : { category }),
		...(maxSubmissionsPerAgent === undefined ? {} : { max_submissions_per_agent: maxSubmissionsPerAgent }),
		...(finalRound === undefined ? {} : { final_round: finalRound }),
		...(sealed === undefined ? {} : { sealed }),
	};
}

/** Rejects options that have no effect without `--from-issue`. @throws CommandError that names one of them. */
export function assertNoIssueOptions(options: IssueOptions): void {
	const [name] = [...(options.dryRun === true ? ["dry_run"] : []), ...Object.keys(termsOf(options))];
	if (name !== undefined) throw usageError(`--${name.replaceAll("_", "-")} needs --from-issue.`, "Change the file instead.");
}

/** Posts the task of an issue, or prints it. */
export async function postFromIssue(ctx: Context, { args, options }: Given<IssueOptions>): Promise<void> {
	if (args[0] !== undefined) throw usageError("post takes a file or --from-issue, not both.");
	const wanted = await readWanted(ctx, options);
	const { issue } = wanted;
	if (options.dryRun === true) {
		ctx.terminal.result({ issue: issue.url, task: wanted.task }, () => stringify({ version: 1, ...wanted.task }).trimEnd());
		return;
	}
	const client = await ctx.client();
	const { task, outcome } = await postIssue(client, wanted, { signal: ctx.signal });
	if (outcome === "kept") ctx.terminal.warn(`The issue has changed, but its task ${task.id} was published and stays as it is.`);
	if (task.status !== "draft") {
		const existing = { task, issue: issue.url, outcome, created: false, published: false, lint: null, warnings: [] };
		const facts = { task: task.id, title: task.title, status: task.status, issue: issue.url };
		ctx.terminal.result(existing, (paint) => `${fields(paint, facts)}\n\nThe issue already has this task.`);
		return;
	}
	const finished = await finishDraft(ctx, client, { task, publish: options.publish === true });
	const posted = { ...finished, issue: issue.url, outcome, created: outcome === "created" };
	ctx.terminal.result(posted, (paint) => describePosted(paint, finished, { draft: outcome, issue: issue.url }));
}

async function readWanted(ctx: Context, options: IssueOptions): Promise<IssueTask> {
	const { terminal, signal, world } = ctx;
	const source = options.fromIssue ?? "";
	const json = source === "-" ? parseJson(await text(terminal.input)) : await fetchIssue(source, { env: world.env, signal });
	return readIssueTask(parseIssue(json), { terms: termsOf(options), now: Date.now() });
}

function parseJson(given: string): unknown {
	try {
		return JSON.parse(given);
	} catch {
		throw usageError("Standard input is not JSON.", "Try: gh api repos/<owner>/<repository>/issues/<number> | bounty post --from-issue -");
	}
}
