// `bounty api` sends any operation, by its operationId.
import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { usageError } from "../core/exit-codes.ts";
import { isMissing } from "../core/profiles.ts";
import { type InputOf, OPERATIONS, type OperationId, readPieces, trustDocument } from "../core/sdk.ts";
import type { Context } from "../terminal/context.ts";
import { toSafeJson } from "../terminal/text.ts";
import { argument, type Given, parseTaskId, type Run } from "./define.ts";

const HINT = "GET /openapi.json lists all operations; bounty docs search finds one.";

export function addApiCommand(program: Command, run: Run): void {
	run(
		program.command("api <operation> [values...]"),
		"Send any request by its operationId: bounty api getTask id=<id> fields=status. Prints the response",
		send,
	).option("--body <json>", "the JSON body; @<file> reads it from a file, - from standard input");
}

async function send(ctx: Context, given: Given<{ readonly body?: string }>): Promise<void> {
	const id = argument(given, 0);
	if (!isOperation(id)) throw usageError(`No operation has the name ${id}.`, HINT);
	const { path, auth } = OPERATIONS[id];
	if (auth === "signed") throw usageError(`${id} needs a signed URL, which another operation returns.`);
	const values = given.args.slice(1).flat().map(parseValue);
	const names = new Set([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
	const inPath = values.filter(([name]) => names.has(name));
	const body = given.options.body === undefined ? {} : { body: await readBody(ctx, given.options.body) };
	const input = {
		...body,
		path: Object.fromEntries(inPath.map(([name, value]) => [name, parseTaskId(value)])),
		query: Object.fromEntries(values.filter(([name]) => !names.has(name))),
		signal: ctx.signal,
	};
	const client = auth === "none" ? await ctx.anonymousClient() : await ctx.client();
	const response = await client.open(id, trustDocument<InputOf<OperationId>>(input));
	if (!/^application\/([\w.-]+\+)?json/.test(response.headers.get("Content-Type") ?? "")) return ctx.terminal.raw(readPieces(response));
	const data: unknown = await response.json();
	ctx.terminal.result(data, () => toSafeJson(data, 2));
}

function isOperation(id: string): id is OperationId {
	return Object.hasOwn(OPERATIONS, id);
}

function parseValue(given: string | undefined): [name: string, value: string] {
	const at = given?.indexOf("=") ?? -1;
	if (given === undefined || at < 1) throw usageError(`${given} must look like name=value.`, HINT);
	return [given.slice(0, at), given.slice(at + 1)];
}

async function readBody({ terminal }: Context, given: string): Promise<unknown> {
	const source = given === "-" ? await text(terminal.input) : given.startsWith("@") ? await readText(given.slice(1)) : given;
	try {
		return JSON.parse(source);
	} catch {
		throw usageError("The body is not JSON.");
	}
}

function readText(path: string): Promise<string> {
	return readFile(path, "utf8").catch((error: unknown) => {
		throw isMissing(error) ? usageError(`${path} does not exist.`) : error;
	});
}
