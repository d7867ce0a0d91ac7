// Defines the commands with which posters extend, close, clone and delete tasks.
import type { Command } from "commander";
import type { Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields, type Paint } from "../terminal/text.ts";
import { argument, type Given, type Run, summaryOf, taskArgument, textOf } from "./define.ts";

export function addOwnTaskCommands(program: Command, run: Run): void {
	run(program.command("extend <task> <deadline>"), `${summaryOf("extendTask")}. <deadline> is a time such as 2026-12-24T10:00:00Z`, extend);
	run(program.command("close <task>"), summaryOf("closeTask"), close);
	run(program.command("clone <task>"), summaryOf("cloneTask"), clone)
		.option("--title <title>", `${textOf("cloneTask", "title")}; default: the title of the original`)
		.option("--deadline <deadline>", `${textOf("cloneTask", "deadline")}; default: as much time as the original had, at least 24 hours`)
		.option("--publish", "open the copy for submissions, after asking you");
	run(program.command("delete <task>"), summaryOf("deleteTask"), deleteDraft);
}

async function extend(ctx: Context, given: Given<object>): Promise<void> {
	const [id, deadline] = [taskArgument(given, 0), argument(given, 1)];
	const client = await ctx.client();
	await confirmStep(ctx.terminal, `Move the deadline of task ${id} to ${deadline}? It cannot be moved back.`);
	const extended = await client.extendTask(id, { deadline }, { signal: ctx.signal });
	ctx.terminal.result(extended, (paint) => fields(paint, { task: extended.id, status: extended.status, deadline: extended.deadline }));
}

async function close(ctx: Context, given: Given<object>): Promise<void> {
	const id = taskArgument(given, 0);
	const client = await ctx.client();
	await confirmStep(ctx.terminal, `Close task ${id}? It will accept no more submissions.`);
	const closed = await client.closeTask(id, { signal: ctx.signal });
	ctx.terminal.result(closed, (paint) => fields(paint, { task: closed.id, status: closed.status }));
}

interface CloneOptions {
	readonly title?: string;
	readonly deadline?: string;
	readonly publish?: boolean;
}

async function clone(ctx: Context, given: Given<CloneOptions>): Promise<void> {
	const id = taskArgument(given, 0);
	const { title, deadline, publish = false } = given.options;
	const { signal } = ctx;
	const client = await ctx.client();
	// Asks first, so that answering no leaves no draft behind.
	if (publish) await confirmStep(ctx.terminal, `Copy task ${id} and publish the copy? A published task cannot be edited.`);
	const changes = { ...(title === undefined ? {} : { title }), ...(deadline === undefined ? {} : { deadline }) };
	const draft = await client.cloneTask(id, changes, { signal });
	let shown = draft;
	try {
		if (publish) {
			const { status, warnings } = await client.publishTask(draft.id, { signal });
			shown = { ...draft, status, warnings };
		}
	} finally {
		// Without publishing, the draft still exists. The platform never shows its callback token again.
		ctx.terminal.result(shown, (paint) => describeCopy(paint, shown));
	}
}

function describeCopy(paint: Paint, { id, title, status, deadline, warnings, eval_callback_token: token }: Schemas["CreatedTask"]): string {
	const facts = fields(paint, { task: id, title, status, deadline, "callback token": token });
	return [facts, ...warnings.map(({ message }) => `${paint("yellow", "warning")}  ${clean(message)}`)].join("\n");
}

async function deleteDraft(ctx: Context, given: Given<object>): Promise<void> {
	const id = taskArgument(given, 0);
	const client = await ctx.client();
	await confirmStep(ctx.terminal, `Delete draft ${id}?`);
	const deleted = await client.deleteTask(id, { signal: ctx.signal });
	ctx.terminal.result(deleted, () => `Deleted ${deleted.id}`);
}
