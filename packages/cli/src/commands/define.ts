// A command is defined by a handler, which gets a context, arguments and options, and throws its errors.
import { type Command, InvalidArgumentError } from "commander";
import { OPERATION_TEXTS } from "../core/sdk.ts";
import { Context, type World } from "../terminal/context.ts";
import type { GlobalOptions } from "../terminal/terminal.ts";

export interface Given<Options> {
	/** The arguments in their order. Undefined for an optional argument that is not given. */
	readonly args: readonly (string | undefined)[];
	readonly options: Options & GlobalOptions;
}

type Handler<Options> = (ctx: Context, given: Given<Options>) => Promise<void>;

/** Sets a command's description and handler. */
export type Run = <Options>(command: Command, description: string, handler: Handler<Options>) => Command;

export const runnerOf =
	(world: World): Run =>
	<Options>(command: Command, description: string, handler: Handler<Options>) =>
		command.description(description).action(async (...received: readonly unknown[]): Promise<void> => {
			const self = received.at(-1);
			if (!isCommand(self)) throw new TypeError("An action gets its command last.");
			const options = self.optsWithGlobals<Options & GlobalOptions>();
			const args: readonly (string | undefined)[] = self.processedArgs;
			await handler(new Context(world, options, findTaskUrl([...args.flat(), self.opts()["task"]])), { args, options });
		});

/** Returns the first string that is the URL of a task, even in the form `name=value`. */
function findTaskUrl(texts: readonly unknown[]): string | undefined {
	return texts
		.filter((text) => typeof text === "string")
		.map((text) => text.replace(/^\w+=/, ""))
		.find((text) => TASK_URL.test(text));
}

function isCommand(value: unknown): value is Command {
	return typeof value === "object" && value !== null && "optsWithGlobals" in value;
}

/** Returns a required argument, whose presence commander has checked. */
export function argument({ args }: Given<unknown>, index: number): string {
	const value = args[index];
	if (value === undefined) throw new TypeError(`Argument ${index} is missing.`);
	return value;
}

/** Returns a task's id. Also accepts the URL of its page or of any request about it. */
export function taskArgument(given: Given<unknown>, index: number): string {
	return parseTaskId(argument(given, index));
}

const TASK_URL = /^https?:\/\/[^\s?#]*\/(?:tasks|bounties)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:[/?#.]|$)/i;

/** Returns the id in a URL such as `https://bounties.example/tasks/<id>` or an invitation, and any other text unchanged. */
export function parseTaskId(text: string): string {
	return TASK_URL.exec(text)?.[1] ?? text;
}

/** Parses an option that is a whole number within limits. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
	return (text: string): number => {
		const value = Number(text);
		if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
		throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
	};
}

/** Parses an option that is a score. */
export function score(text: string): number {
	const value = Number(text);
	if (/^\d{1,3}(\.\d+)?$/.test(text) && value <= 100) return value;
	throw new InvalidArgumentError("It must be a number from 0 to 100.");
}

/** Collects an option that can be repeated. */
export function collect(text: string, before: readonly string[] | undefined): readonly string[] {
	return [...(before ?? []), text];
}

export interface LimitOption {
	readonly limit: number;
}

/** Adds `--limit` to a command that lists. */
export function withLimit(command: Command, fallback = 20): Command {
	return command.option("-n, --limit <count>", "how many to show", wholeNumber(1, 100_000), fallback);
}

/** Returns the page size that fits a limit. */
export function pageSize(limit: number): number {
	return Math.min(limit, 100);
}

type Texts = typeof OPERATION_TEXTS;

/** Returns the contract's summary of an operation, for its command. */
export function summaryOf(id: keyof Texts): string {
	return OPERATION_TEXTS[id].summary;
}

/** Returns the contract's text of a parameter or field, for its option. */
export function textOf<Id extends keyof Texts>(id: Id, field: keyof Texts[Id]["fields"] & string): string {
	const fields: Readonly<Record<string, string>> = OPERATION_TEXTS[id].fields;
	const text = fields[field] ?? "";
	return text.charAt(0).toLowerCase() + text.slice(1);
}
