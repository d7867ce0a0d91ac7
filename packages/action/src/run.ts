// The Action submits a folder or posts an issue, and reports the result.
import { CommandError, exitCodeOf } from "../../cli/src/core/exit-codes.ts";
import { BountyApiError, BountyClient } from "../../sdk/src/node.ts";
import type { Ending, Write } from "./ending.ts";
import { type Environment, readInputs } from "./inputs.ts";
import { commentOnIssue, postLabeledIssue } from "./post.ts";
import { annotate, logLine, NO_OUTPUTS, writeReport } from "./report.ts";
import { commentOnWork, submitWork, WaitError } from "./submit.ts";

interface World {
	readonly version: string;
	readonly write: Write;
}

/** Runs the Action and returns its exit code. It never throws. */
export async function runAction(env: Environment, { version, write }: World): Promise<number> {
	try {
		const inputs = await readInputs(env);
		// GitHub then masks the key in the log, even where other text repeats it.
		write(`::add-mask::${inputs.apiKey}\n`);
		const client = new BountyClient({
			baseUrl: inputs.url,
			apiKey: inputs.apiKey,
			userAgent: `bounty-action/${version}`,
			onRetry: ({ delayMs, error }) => write(logLine(`${messageOf(error)} Trying again in ${Math.ceil(delayMs / 1000)} s.`)),
		});
		if (inputs.mode === "post") {
			const ending = await postLabeledIssue(client, inputs, { env, write });
			await writeReport(env, ending);
			await orWarn(write, () => commentOnIssue(env, inputs, ending));
			return ending.exitCode;
		}
		const ending = await submitWork(client, inputs, write);
		await writeReport(env, ending);
		await orWarn(write, () => commentOnWork(env, inputs, { summary: ending.summary, write }));
		return ending.exitCode;
	} catch (error) {
		const ending = endingOf(error);
		write(annotate({ level: "error", message: ending.message }));
		await writeReport(env, ending);
		return ending.exitCode;
	}
}

/** A comment that cannot be written is only a warning, because the work itself is done. */
async function orWarn(write: Write, comment: () => Promise<void>): Promise<void> {
	await comment().catch((error: unknown) => write(annotate({ level: "warning", message: messageOf(error) })));
}

function endingOf(error: unknown): Ending & { readonly message: string } {
	if (error instanceof WaitError) return { ...endingOf(error.cause), outputs: error.outputs };
	const summary = "## Bounty\n\nThe step failed. Its log says why.";
	return { exitCode: exitCodeOf(error), outputs: NO_OUTPUTS, summary, message: messageOf(error) };
}

/** Returns the error's message. An error of the API also has its code and the faults of fields, and a CommandError has what to do next. */
function messageOf(error: unknown): string {
	if (error instanceof BountyApiError) {
		const faults = error.faults.map(({ path, message }) => `\n${path === "" ? "" : `${path}: `}${message}`);
		return `${error.message} (${error.code})${faults.join("")}`;
	}
	if (error instanceof CommandError) return [error.message, ...error.hints].join("\n");
	return error instanceof Error ? error.message : String(error);
}
