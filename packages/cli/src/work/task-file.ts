// Reads task.yaml, a task that a poster keeps in version control.
import { readFile } from "node:fs/promises";
import { parseDocument } from "yaml";
import { usageError } from "../core/exit-codes.ts";
import { isMissing } from "../core/profiles.ts";
import { type CreateTaskBody, isRecord, OPERATION_TEXTS, trustDocument } from "../core/sdk.ts";

export type NewTask = CreateTaskBody;

/** The fields of a task that the file can set, in addition to `version`. The platform checks their values. */
const FIELDS = new Set<string>(Object.keys(OPERATION_TEXTS.createTask.fields));
const REQUIRED = ["title", "budget_cents", "deadline"];
const MAX_CHARACTERS = 1_000_000;
const EMPTY_LINES = /\n(?:[ \t]*\n){101}/;

/**
 * Reads a task file.
 *
 * @throws CommandError that says what is wrong in it.
 */
export async function readTaskFile(path: string): Promise<NewTask> {
	const text = await readFile(path, "utf8").catch((error: unknown) => {
		throw isMissing(error) ? usageError(`${path} does not exist.`) : error;
	});
	return parseTaskFile(text, path);
}

export function parseTaskFile(text: string, path: string): NewTask {
	if (text.length > MAX_CHARACTERS) throw usageError(`${path} is too long.`);
	// In YAML, a carriage return also ends a line.
	const lines = text.replace(/\r\n?/g, "\n");
	// The parser's time grows with the square of the number of empty lines after a value.
	if (EMPTY_LINES.test(lines)) throw usageError(`${path} has more than 100 empty lines in a row.`);
	const document = parseDocument(lines, { prettyErrors: true });
	const [fault] = document.errors;
	if (fault !== undefined) throw usageError(`${path} is not valid YAML: ${fault.message}`);
	const value: unknown = toPlain(document, path);
	if (!isRecord(value)) throw usageError(`${path} must contain fields, such as title.`);
	const { version, ...task } = value;
	if (version !== 1) throw usageError(`${path} must say version: 1.`, `Fields: ${[...FIELDS].join(", ")}.`);
	const unknown = Object.keys(task).filter((name) => !FIELDS.has(name));
	if (unknown.length > 0)
		throw usageError(`${path} has unknown fields: ${unknown.join(", ")}.`, `Known fields: ${[...FIELDS].join(", ")}.`);
	const missing = REQUIRED.filter((name) => task[name] === undefined || task[name] === null);
	if (missing.length > 0) throw usageError(`${path} needs: ${missing.join(", ")}.`);
	return trustDocument<NewTask>(task);
}

function toPlain(document: ReturnType<typeof parseDocument>, path: string): unknown {
	try {
		// Without this limit, a file of a few bytes can expand to gigabytes.
		return document.toJS({ maxAliasCount: 100 });
	} catch (error) {
		throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
}
