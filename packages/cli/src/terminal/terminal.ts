// A command writes results to standard output, and everything else to standard error.
import type { ReadStream, WriteStream } from "node:tty";
import { CommandError, exitCodeOf, InterruptedError } from "../core/exit-codes.ts";
import type { Environment } from "../core/profiles.ts";
import { BountyApiError, BountyCheckError, BountyError } from "../core/sdk.ts";
import { commandFor } from "./hints.ts";
import { Progress } from "./progress.ts";
import { clean, cleanPainted, makePaint, type Paint, toSafeJson } from "./text.ts";

export interface GlobalOptions {
	readonly json?: boolean;
	readonly url?: string;
	readonly profile?: string;
	readonly yes?: boolean;
	readonly quiet?: boolean;
}

export interface Streams {
	readonly input: NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">> & import("node:stream").Readable;
	readonly output: import("node:stream").Writable & Partial<Pick<WriteStream, "isTTY">>;
	readonly error: import("node:stream").Writable & Partial<Pick<WriteStream, "isTTY" | "columns">>;
}

/** Prints results and messages, for people or as JSON. */
export class Terminal {
	readonly input: Streams["input"];
	readonly output: Streams["output"];
	readonly error: Streams["error"];
	readonly paint: Paint;
	readonly isJson: boolean;
	/** True if input and errors are a terminal and the output is not for a program, so that the command can ask questions. */
	readonly canAsk: boolean;
	readonly isConfirmed: boolean;
	readonly progress: Progress;
	readonly #isQuiet: boolean;
	readonly #paintError: Paint;

	constructor(streams: Streams, { env, options }: { env: Environment; options: GlobalOptions }) {
		this.input = streams.input;
		this.output = streams.output;
		this.error = streams.error;
		this.isJson = options.json === true;
		this.isConfirmed = options.yes === true;
		this.#isQuiet = options.quiet === true;
		this.paint = makePaint(streams.output, env);
		this.#paintError = makePaint(streams.error, env);
		this.canAsk = streams.input.isTTY === true && streams.error.isTTY === true && !this.isJson && !env["CI"];
		this.progress = new Progress(streams.error, !this.isJson && !this.#isQuiet && env["TERM"] !== "dumb");
	}

	/** Prints the result of a command: the data with `--json`, otherwise its text. */
	result(data: unknown, toText: (paint: Paint) => string): void {
		this.progress.clear();
		this.output.write(this.isJson ? `${toSafeJson(data, 2)}\n` : `${cleanPainted(toText(this.paint))}\n`);
	}

	/** Prints one of many results as soon as it arrives: a line of JSON, or of text. */
	line(data: unknown, toText: (paint: Paint) => string): void {
		this.progress.clear();
		this.output.write(this.isJson ? `${toSafeJson(data)}\n` : `${cleanPainted(toText(this.paint))}\n`);
	}

	/** Prints bytes unchanged for a program. On a terminal, prints their text without control characters, because others wrote it. */
	async raw(chunks: AsyncIterable<Uint8Array>): Promise<void> {
		this.progress.clear();
		if (this.output.isTTY === true) {
			const decoder = new TextDecoder();
			for await (const chunk of chunks) this.output.write(clean(decoder.decode(chunk, { stream: true })));
			this.output.write(`${clean(decoder.decode())}\n`);
			return;
		}
		for await (const chunk of chunks) {
			// Also wait for `close`, because an output that no one reads any more never drains.
			if (!this.output.write(chunk)) await new Promise((resolve) => this.output.once("drain", resolve).once("close", resolve));
		}
	}

	/** Prints a message in addition to the result. */
	note(text: string): void {
		if (this.#isQuiet || this.isJson) return;
		this.progress.clear();
		this.error.write(`${clean(text)}\n`);
	}

	/** Prints a warning, even with `--quiet` and `--json`. */
	warn(text: string): void {
		this.progress.clear();
		this.error.write(this.isJson ? `${toSafeJson({ warning: text })}\n` : `${this.#paintError("yellow", "warning")}: ${clean(text)}\n`);
	}

	/** Prints why the command failed, and what to do. Returns its exit code. */
	fail(error: unknown): number {
		this.progress.clear();
		const exitCode = exitCodeOf(error);
		const report = describeError(error);
		if (error instanceof InterruptedError && !this.isJson) this.error.write(`${clean(error.message)}\n`);
		else if (this.isJson) this.error.write(`${toSafeJson({ error: { ...report, exit_code: exitCode } })}\n`);
		else this.error.write(`${this.#paintError("red", "error")}: ${toLines(report).map(clean).join("\n")}\n`);
		return exitCode;
	}
}

interface ErrorReport {
	readonly message: string;
	readonly code?: string;
	readonly status?: number;
	readonly details?: unknown;
	readonly request_id?: string | undefined;
	readonly retry_after_seconds?: number | undefined;
	readonly next_actions?: readonly { readonly method: string; readonly href: string; readonly description: string }[];
	readonly problems?: readonly { readonly path: string; readonly message: string }[];
	readonly hints?: readonly string[];
}

function describeError(error: unknown): ErrorReport {
	if (error instanceof CommandError) return { message: error.message, hints: error.hints };
	if (error instanceof BountyCheckError) return { message: "The files would be rejected.", problems: error.problems };
	if (!(error instanceof BountyApiError)) return { message: messageOf(error) };
	const { code, status, message, details, requestId, retryAfterSeconds, nextActions } = error;
	const problems = Array.isArray(details) ? { problems: details } : {};
	const hints = status === 401 ? ["Run: bounty login", "Or set BOUNTY_API_KEY."] : [];
	return {
		...{ message, code, status, details, request_id: requestId, retry_after_seconds: retryAfterSeconds },
		...{ next_actions: nextActions, hints, ...problems },
	};
}

function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const cause = error instanceof BountyError && error.cause instanceof Error ? causeOf(error.cause) : "";
	return cause === "" || error.message.includes(cause) ? error.message : `${error.message} (${cause})`;
}

/** Returns the cause, because the message `fetch failed` says nothing. */
function causeOf(error: Error): string {
	return error.cause instanceof Error ? causeOf(error.cause) : error.message;
}

function toLines(report: ErrorReport): string[] {
	const { message, code, problems = [], request_id: id, retry_after_seconds: seconds, next_actions: actions = [], hints = [] } = report;
	return [
		code === undefined ? message : `${message} (${code})`,
		...problems.map(({ path, message: text }) => `  ${path === "" ? "" : `${path}: `}${text}`),
		...(id === undefined ? [] : [`  request id: ${id}`]),
		...(seconds === undefined ? [] : [`  try again in ${Math.ceil(seconds)} s`]),
		...actions.map(({ method, href, description }) => `  next: ${description} (${commandFor(method, href) ?? `${method} ${href}`})`),
		...hints.map((hint) => `  ${hint}`),
	];
}
