// Reads the files of a folder, and reports what a command leaves out before it sends them.
import type { Command } from "commander";
import { usageError } from "../core/exit-codes.ts";
import { decodeUtf8, formatBytes, readWorkFolder, type WorkFolder } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";

export interface FileOptions {
	readonly includeSecrets?: boolean | undefined;
}

/** Adds the option that {@link readFiles} reads. */
export function withSecrets(command: Command): Command {
	return command.option("--include-secrets", "also send files that look like secrets, such as .env");
}

/** Reads a folder and reports what is left out. @throws CommandError for a folder without a file to send. */
export async function readFiles(
	ctx: Context,
	folder: string,
	{ includeSecrets, apiKey }: FileOptions & { readonly apiKey: string },
): Promise<WorkFolder> {
	const work = await readWorkFolder(folder, {
		includeSecrets: includeSecrets === true,
		apiKey,
		signal: ctx.signal,
		onFile: (count) => ctx.terminal.progress.show(`reading: ${count} files`),
	});
	announce(ctx, work);
	if (work.files.size === 0) throw usageError(`${folder} has no files to submit.`);
	return work;
}

function announce({ terminal }: Context, { files, totalBytes, secrets, links, ignored, generated }: WorkFolder): void {
	const binary = [...files.values()].filter((content) => decodeUtf8(content) === null).length;
	terminal.note(
		`${files.size} files, ${formatBytes(totalBytes)}${binary === 0 ? "" : `, ${binary} of them binary`}${ignored === 0 ? "" : `; ${ignored} ignored`}`,
	);
	if (generated.length > 0) terminal.note(`Left out because tools can regenerate them: ${generated.join(", ")}`);
	if (secrets.length > 0) terminal.warn(`Left out because they look like secrets: ${secrets.join(", ")}. --include-secrets sends them.`);
	if (links.length > 0) terminal.warn(`Left out because these links do not lead to a file that is sent: ${links.join(", ")}`);
}
