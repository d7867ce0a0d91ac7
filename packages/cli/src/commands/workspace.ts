// Defines the commands for the agent's private store, which has values by key and files by path.
import { readFile } from "node:fs/promises";
import type { Command } from "commander";
import { usageError } from "../core/exit-codes.ts";
import { isMissing } from "../core/profiles.ts";
import { formatBytes, readPieces } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { confirmStep } from "../terminal/prompts.ts";
import { clean, fields, formatWhen, table, toSafeJson } from "../terminal/text.ts";
import { argument, type Given, type LimitOption, pageSize, type Run, summaryOf, textOf, withLimit } from "./define.ts";
import { writeContent } from "./posting.ts";

export function addWorkspaceCommands(program: Command, run: Run): void {
	const workspace = program.command("workspace").description("Your agent's private store of values and files");
	run(withLimit(workspace.command("list [prefix]", { isDefault: true }), 100), summaryOf("listWorkspaceEntries"), listValues);
	run(workspace.command("get <key>"), summaryOf("getWorkspaceEntry"), async (ctx, given) => {
		const entry = await (await ctx.client()).getWorkspaceEntry(argument(given, 0), { signal: ctx.signal });
		ctx.terminal.result(entry, () => (typeof entry.value === "string" ? clean(entry.value) : toSafeJson(entry.value, 2)));
	});
	run(workspace.command("put <key> <value>"), "Store a value as JSON, or as text with --text", putValue).option(
		"--text",
		"store the value as text",
	);
	run(workspace.command("delete <key>"), summaryOf("deleteWorkspaceEntry"), (ctx, given) =>
		remove(ctx, {
			what: `value ${argument(given, 0)}`,
			run: async (signal) => (await ctx.client()).deleteWorkspaceEntry(argument(given, 0), { signal }),
		}),
	);
	addFiles(workspace, run);
	run(workspace.command("quota"), "Show how much is used", quota);
}

function addFiles(workspace: Command, run: Run): void {
	run(withLimit(workspace.command("files [prefix]"), 100), summaryOf("listWorkspaceFiles"), listFiles);
	run(workspace.command("upload <file> [path]"), "Store a file from this machine", upload).option(
		"--type <media-type>",
		textOf("createWorkspaceUploadUrl", "content_type"),
	);
	run<{ output?: string }>(workspace.command("download <path>"), "Show a file, or write it to this machine", async (ctx, given) => {
		const path = argument(given, 0);
		const file = await (await ctx.client()).readWorkspaceFile(path, {}, { signal: ctx.signal });
		await writeContent(ctx, readPieces(file), { path, output: given.options.output });
	}).option("-o, --output <file>", "the file to write to");
	run(workspace.command("remove <path>"), summaryOf("deleteWorkspaceFile"), (ctx, given) =>
		remove(ctx, {
			what: `file ${argument(given, 0)}`,
			run: async (signal) => (await ctx.client()).deleteWorkspaceFile(argument(given, 0), { signal }),
		}),
	);
}

type PrefixGiven = Given<LimitOption>;

function prefixQuery({ args: [prefix], options: { limit } }: PrefixGiven) {
	return { limit: pageSize(limit), ...(prefix === undefined ? {} : { prefix }) };
}

async function listValues(ctx: Context, given: PrefixGiven): Promise<void> {
	const client = await ctx.client();
	const data = await client.listWorkspaceEntries(prefixQuery(given), { signal: ctx.signal }).toArray(given.options.limit);
	const rows = data.map((entry) => [entry.key, formatBytes(entry.size_bytes), formatWhen(entry.updated_at)]);
	ctx.terminal.result({ data }, (paint) => table(paint, ["KEY", "SIZE", "UPDATED"], rows));
}

async function listFiles(ctx: Context, given: PrefixGiven): Promise<void> {
	const client = await ctx.client();
	const data = await client.listWorkspaceFiles(prefixQuery(given), { signal: ctx.signal }).toArray(given.options.limit);
	const rows = data.map((file) => [file.path, formatBytes(file.size_bytes), file.content_type, formatWhen(file.updated_at)]);
	ctx.terminal.result({ data }, (paint) => table(paint, ["FILE", "SIZE", "TYPE", "UPDATED"], rows));
}

async function putValue(ctx: Context, given: Given<{ text?: boolean }>): Promise<void> {
	const value = argument(given, 1);
	const parsed = given.options.text === true ? value : parseValue(value);
	const entry = await (await ctx.client()).putWorkspaceEntry(argument(given, 0), { value: parsed }, { signal: ctx.signal });
	ctx.terminal.result(entry, (paint) => fields(paint, { key: entry.key, size: formatBytes(entry.size_bytes) }));
}

function parseValue(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		throw usageError("The value is not JSON.", "Pass --text to store it as text.");
	}
}

async function remove(
	ctx: Context,
	{ what, run }: { what: string; run: (signal: AbortSignal) => Promise<{ deleted: boolean }> },
): Promise<void> {
	await confirmStep(ctx.terminal, `Delete ${what}?`);
	const result = await run(ctx.signal);
	ctx.terminal.result(result, () => (result.deleted ? `Deleted ${what}` : `No ${what} is stored`));
}

async function upload(ctx: Context, given: Given<{ type?: string }>): Promise<void> {
	const source = argument(given, 0);
	const path = given.args[1] ?? source.split(/[/\\]/).at(-1) ?? source;
	const content = await readFile(source).catch((error: unknown) => {
		throw isMissing(error) ? usageError(`${source} does not exist.`) : error;
	});
	const stored = await (await ctx.client()).putWorkspaceFile(path, new Uint8Array(content), {
		signal: ctx.signal,
		contentType: given.options.type,
		onProgress: ({ sentBytes, totalBytes }) => ctx.terminal.progress.show("uploading", { done: sentBytes, total: totalBytes }),
	});
	ctx.terminal.result(stored, (paint) =>
		fields(paint, { file: stored.path, size: formatBytes(stored.size_bytes), type: stored.content_type }),
	);
}

async function quota(ctx: Context): Promise<void> {
	const client = await ctx.client();
	const [values, files] = await Promise.all([
		client.getWorkspaceQuota({ signal: ctx.signal }),
		client.getWorkspaceFileQuota({ signal: ctx.signal }),
	]);
	const shares = {
		keys: `${values.keys_used} of ${values.keys_limit}`,
		"bytes of values": `${formatBytes(values.bytes_used)} of ${formatBytes(values.bytes_limit)}`,
		files: `${files.files_used} of ${files.files_limit}`,
		"bytes of files": `${formatBytes(files.bytes_used)} of ${formatBytes(files.bytes_limit)}`,
	};
	ctx.terminal.result({ values, files }, (paint) => fields(paint, shares));
}
