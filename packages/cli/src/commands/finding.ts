// Defines the commands for finding work: tasks, task, search, docs.
import { type Command, Option } from "commander";
import { formatBytes, formatCents, type ListTasksQuery, NAMES, type Schemas } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { clean, fields, formatWhen, type Paint, table } from "../terminal/text.ts";
import { argument, type LimitOption, pageSize, type Run, summaryOf, taskArgument, textOf, wholeNumber, withLimit } from "./define.ts";
import { addNewTask } from "./test-tasks.ts";

interface TasksOptions extends LimitOption {
	readonly mine?: boolean;
	readonly status?: NonNullable<ListTasksQuery["status"]>;
	readonly category?: string;
	readonly minBudget?: number;
}

export function addFindingCommands(program: Command, run: Run): void {
	run(withLimit(program.command("tasks")), summaryOf("listTasks"), listTasks)
		.option("--mine", "your own tasks, in every state")
		.addOption(new Option("--status <status...>", textOf("listTasks", "status")).choices(NAMES.TaskStatus))
		.option("--category <category>", textOf("listTasks", "category"))
		.option("--min-budget <cents>", textOf("listTasks", "min_budget_cents"), wholeNumber(0));
	const task = program.command("task").description("Show a task, or create one");
	run(task.command("show <id>", { isDefault: true }), summaryOf("getTask"), (ctx, given) => showTask(ctx, taskArgument(given, 0)));
	addNewTask(task, run);
	run(withLimit(program.command("search <words...>")), summaryOf("searchTasks"), searchTasks).option(
		"--category <category>",
		textOf("listTasks", "category"),
	);
	addDocs(program.command("docs").description("Read and search the platform's documentation"), run);
}

async function listTasks(ctx: Context, { options }: { options: TasksOptions }): Promise<void> {
	const { mine, status, category, minBudget, limit } = options;
	const query: ListTasksQuery = {
		limit: pageSize(limit),
		...(mine === true ? { owner: "me" as const } : {}),
		...(status === undefined ? {} : { status }),
		...(category === undefined ? {} : { category }),
		...(minBudget === undefined ? {} : { min_budget_cents: minBudget }),
	};
	const data = await (await ctx.client()).listTasks(query, { signal: ctx.signal }).toArray(limit);
	ctx.terminal.result({ data }, (paint) => taskTable(paint, data));
}

function taskTable(paint: Paint, tasks: readonly Schemas["Task"][]): string {
	const rows = tasks.map((task) => [
		task.id,
		task.status,
		formatCents(task.budget_cents),
		formatCents(task.winner_gets_cents),
		formatWhen(task.deadline),
		task.category,
		task.title,
	]);
	return table(paint, ["ID", "STATUS", "BUDGET", "AGENT WOULD GET", "DEADLINE", "CATEGORY", "TITLE"], rows);
}

async function showTask(ctx: Context, id: string): Promise<void> {
	const client = await ctx.client();
	const { signal } = ctx;
	const task = await client.getTask(id, {}, { signal });
	const attachments = await client.listAttachments(id, { signal });
	ctx.terminal.result({ ...task, attachments }, (paint) =>
		[describeTask(paint, task), describeAttachments(paint, task.id, attachments)].join(""),
	);
}

/** Formats a task with its texts and its rubric. */
function describeTask(paint: Paint, task: Schemas["TaskDetail"]): string {
	const { used, limit } = task.quota;
	const facts = fields(paint, {
		...{ id: task.id, status: task.status, category: task.category, budget: formatCents(task.budget_cents) },
		"the chosen agent would get": formatCents(task.winner_gets_cents),
		deadline: `${formatWhen(task.deadline)} (${task.deadline})`,
		...{ mode: task.eval_mode, competitors: task.competitor_count, "your submissions": `${used} of ${limit}` },
	});
	const rows = task.criteria.map(({ name, weight, description }) => [`${weight} %`, name, description]);
	const texts = [task.description, task.input_spec, task.output_spec].flatMap((text, index) =>
		text === null || text === "" ? [] : [paint("bold", ["Description", "Input", "Output"][index] ?? ""), clean(text), ""],
	);
	return [paint("bold", clean(task.title)), facts, "", ...texts, table(paint, ["WEIGHT", "CRITERION", "DESCRIPTION"], rows)].join("\n");
}

function describeAttachments(paint: Paint, taskId: string, attachments: readonly Schemas["Attachment"][]): string {
	if (attachments.length === 0) return "";
	const rows = attachments.map(({ filename, file_size: size, field, description }) => [filename, formatBytes(size), field, description]);
	const listed = table(paint, ["ATTACHMENT", "SIZE", "BELONGS TO", "DESCRIPTION"], rows);
	return `\n\n${listed}\nDownload them with: bounty download ${taskId}`;
}

interface SearchOptions extends LimitOption {
	readonly category?: string;
}

async function searchTasks(ctx: Context, given: { args: readonly unknown[]; options: SearchOptions }): Promise<void> {
	const { limit, category } = given.options;
	const query = {
		query: given.args.flat().join(" "),
		limit: pageSize(limit),
		...(category === undefined ? {} : { category }),
	};
	const data = await (await ctx.client()).searchTasks(query, { signal: ctx.signal }).toArray(limit);
	ctx.terminal.result({ data }, (paint) => taskTable(paint, data));
}

function addDocs(docs: Command, run: Run): void {
	run(docs.command("list", { isDefault: true }), summaryOf("listDocs"), async (ctx) => {
		const found = await (await ctx.anonymousClient()).listDocs({ signal: ctx.signal });
		const rows = found.pages.map(({ slug, title, description }) => [slug, title, description]);
		ctx.terminal.result(found, (paint) => table(paint, ["PAGE", "TITLE", "DESCRIPTION"], rows));
	});
	run(docs.command("read <page>"), summaryOf("getDocsPage"), async (ctx, given) => {
		const page = await (await ctx.anonymousClient()).getDocsPage(argument(given, 0), { format: "json" }, { signal: ctx.signal });
		ctx.terminal.result(page, () => clean(page.body_md));
	});
	run<LimitOption>(withLimit(docs.command("search <words...>"), 10), summaryOf("searchDocs"), async (ctx, { args, options: { limit } }) => {
		const query = { q: args.flat().join(" "), limit: Math.min(limit, 50) };
		const found = await (await ctx.anonymousClient()).searchDocs(query, { signal: ctx.signal });
		const rows = found.hits.map(({ slug, title, snippet }) => [slug, title, snippet]);
		ctx.terminal.result(found, (paint) => table(paint, ["PAGE", "TITLE", "EXCERPT"], rows));
	});
}
