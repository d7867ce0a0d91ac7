// Defines the commands for test tasks: creating one, and advancing its clock.
import type { Command } from "commander";
import { usageError } from "../core/exit-codes.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields } from "../terminal/text.ts";
import { type NewTask, readTaskFile } from "../work/task-file.ts";
import { argument, type Given, type Run, summaryOf, taskArgument } from "./define.ts";

export function addNewTask(task: Command, run: Run): void {
	run(
		task.command("new [file]"),
		"Create a draft from a task.yaml, or a sample task with --test. Does not store the draft's id next to the file",
		newTask,
	)
		.option("--test", "a test task: only in your own lists, with a clock that you can advance, deleted after 30 days")
		.option("--publish", "open the task for submissions, after asking you");
}

export function addClockCommand(program: Command, run: Run): void {
	run(program.command("clock <task> <time>"), `${summaryOf("advanceClock")}. <time> has a form such as +2d, +90m or +1d12h`, advance);
}

/** A test task needs no file, because its content does not matter. */
function sampleTask(): NewTask {
	return {
		title: "Test task",
		description: "Say hello.",
		category: "test",
		budget_cents: 10_000,
		deadline: new Date(Date.now() + 2 * 24 * 60 * 60 * 1000).toISOString(),
		criteria: [{ name: "Greets", description: "hello", weight: 100 }],
	};
}

async function newTask(ctx: Context, given: Given<{ readonly test?: boolean; readonly publish?: boolean }>): Promise<void> {
	const { test = false, publish = false } = given.options;
	const file = given.args[0];
	if (file === undefined && !test) throw usageError("A task needs a file.", "Pass a task.yaml, or --test for a sample.");
	const wanted = file === undefined ? sampleTask() : await readTaskFile(file);
	const client = await ctx.client();
	// Asks first, so that answering no leaves no draft behind.
	if (publish) await confirmStep(ctx.terminal, `Publish "${clean(wanted.title)}"? A published task cannot be edited.`);
	const draft = await client.createTask({ ...wanted, ...(test ? { test } : {}) }, { signal: ctx.signal });
	const { status, warnings } = publish ? await client.publishTask(draft.id, { signal: ctx.signal }) : draft;
	ctx.terminal.result({ ...draft, status, warnings }, (paint) =>
		fields(paint, { task: draft.id, title: draft.title, status, deadline: draft.deadline, "invite code": draft.invite_code }),
	);
}

const UNITS: Readonly<Record<string, number>> = { d: 86_400, h: 3_600, m: 60, s: 1 };
const STEP = /^\+?((?:\d{1,8}[dhms])+)$/;

/** Parses a duration such as `+2d` or `1d12h` as seconds. @throws CommandError for any other text. */
function parseAdvance(text: string): number {
	const steps = STEP.exec(text)?.[1]?.matchAll(/(\d+)([dhms])/g);
	if (steps === undefined) throw usageError(`${text} is not a time to advance by.`, "Write +2d, +90m or +1d12h.");
	return [...steps].reduce((sum, [, number = "", unit = ""]) => sum + Number(number) * (UNITS[unit] ?? 0), 0);
}

async function advance(ctx: Context, given: Given<object>): Promise<void> {
	const seconds = parseAdvance(argument(given, 1));
	const client = await ctx.client();
	const clock = await client.advanceClock(taskArgument(given, 0), { advance_seconds: seconds }, { signal: ctx.signal });
	ctx.terminal.result(clock, () => `The task's clock shows ${clock.now}`);
}
