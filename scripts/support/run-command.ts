// Runs commands as separate processes, as a user does.
import { type ChildProcess, spawn } from "node:child_process";
import { PROJECT_ROOT } from "./wrangler.ts";

export interface CommandResult {
	readonly code: number | null;
	readonly stdout: string;
	readonly stderr: string;
}

export interface CommandOptions {
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
	/** The command's standard input. Empty by default. */
	readonly input?: string;
}

export interface StartedCommand {
	readonly child: ChildProcess;
	/** The output so far. */
	readonly output: { readonly stdout: string; readonly stderr: string };
	readonly ended: Promise<CommandResult>;
}

export function startCommand(
	[command, ...args]: readonly [string, ...string[]],
	{ env = {}, cwd = PROJECT_ROOT, input }: CommandOptions,
): StartedCommand {
	const child = spawn(command, args, {
		cwd,
		env: { ...process.env, NO_COLOR: "1", ...env },
		stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
	});
	child.stdin?.on("error", () => undefined).end(input);
	const output = { stdout: "", stderr: "" };
	child.stdout?.setEncoding("utf8").on("data", (text: string) => {
		output.stdout += text;
	});
	child.stderr?.setEncoding("utf8").on("data", (text: string) => {
		output.stderr += text;
	});
	const ended = new Promise<CommandResult>((resolve, reject) => {
		child.on("error", reject);
		child.on("close", (code) => resolve({ code, ...output }));
	});
	return { child, output, ended };
}

/** Runs a command to its end. */
export function runCommandLine(command: readonly [string, ...string[]], options: CommandOptions = {}): Promise<CommandResult> {
	return startCommand(command, options).ended;
}
