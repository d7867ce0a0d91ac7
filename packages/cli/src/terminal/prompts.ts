// Asks questions on standard error, so that standard output has only results.
import { confirm, isCancel, password, text } from "@clack/prompts";
import { CommandError, InterruptedError, usageError } from "../core/exit-codes.ts";
import type { Terminal } from "./terminal.ts";
import { clean } from "./text.ts";

/** Returns the answer to a question. A cancelled question ends the command, like Ctrl-C. */
function taken<Value>(value: Value): Exclude<Value, symbol> {
	if (isGiven(value)) return value;
	throw new InterruptedError("Interrupted.");
}

function isGiven<Value>(value: Value): value is Exclude<Value, symbol> {
	return !isCancel(value);
}

function settings({ input, error }: Terminal) {
	return { input, output: error };
}

/**
 * Asks before something that cannot be undone.
 *
 * @throws CommandError unless confirmed: by the question, or by `--yes`, which is required without a terminal.
 */
export async function confirmStep(terminal: Terminal, question: string): Promise<void> {
	if (terminal.isConfirmed) return;
	if (!terminal.canAsk) {
		throw new CommandError(`${question} This needs confirmation.`, { exitCode: 10, hints: ["Add --yes to confirm without asking."] });
	}
	const isYes = taken(await confirm({ message: clean(question), initialValue: false, ...settings(terminal) }));
	if (!isYes) throw new CommandError("Not confirmed.", { exitCode: 10 });
}

/** Asks for a line of text. @throws CommandError without a terminal. */
export async function askText(terminal: Terminal, { message, initialValue }: { message: string; initialValue: string }): Promise<string> {
	if (!terminal.canAsk) throw usageError(`${message} cannot be asked for without a terminal.`);
	return taken(await text({ message, initialValue, ...settings(terminal) })).trim();
}

/** Asks for a secret, which is not shown. @throws CommandError without a terminal. */
export async function askSecret(terminal: Terminal, message: string): Promise<string> {
	if (!terminal.canAsk)
		throw usageError(`${message} cannot be asked for without a terminal.`, "Pass it on standard input with --with-key.");
	return taken(await password({ message, ...settings(terminal) })).trim();
}
