// Reads the files that posters and agents name on the command line.
import { readFile } from "node:fs/promises";
import { readWorkFolder } from "../../packages/sdk/src/node.ts";
import { CommandError } from "./command.ts";

/** Reads and parses a JSON file. @throws CommandError if there is no such file, or it is not JSON. */
export async function readJsonFile(path: string): Promise<unknown> {
	const text = await readFile(path, "utf8").catch(() => {
		throw new CommandError(`There is no file ${path}.`);
	});
	try {
		return JSON.parse(text);
	} catch (error) {
		throw new CommandError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
	}
}

/** Reads the files of a folder that `bounty submit` would send, and says which secrets it leaves out. */
export async function readWork(folder: string): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
	const { files, secrets } = await readWorkFolder(folder);
	if (secrets.length > 0) console.error(`Left out because they look like secrets: ${secrets.join(", ")}`);
	return files;
}
