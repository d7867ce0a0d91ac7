// Describes a generated client: how `npm run clients` generates, compiles and runs it, and what the page says about it.
import type { Need, Workplace } from "./workplace.ts";

export type Command = readonly [string, ...string[]];

/** A generated client and its program, which gets the URL of a forwarder to the platform, and a file with what to submit. */
export interface Client {
	/** The name on the command line, and of the client's folder below `programs/` if it has one. */
	readonly name: string;
	/** The tool with its version, as the page shows it. */
	readonly tool: string;
	/** The options that the page shows, in Markdown. */
	readonly options: string;
	readonly needs: readonly Need[];
	/** Generates the client from a document of the platform at `url`. */
	generate(place: Workplace, url: string): Promise<void>;
	/** Compiles the generated code, unedited, with the program that plays the loop. */
	compile(place: Workplace): Promise<void>;
	/** Returns the command that plays the loop once, in the client's folder. */
	command(place: Workplace): Promise<Command>;
}

/** The path of the document without the requests that the platform itself sends. */
export const OPERATIONS = "/openapi/operations.json";
export const WHOLE = "/openapi.json";

/** Stores a document of the platform as `document.json`. */
export async function storeDocument(place: Workplace, url: string): Promise<void> {
	const response = await fetch(url);
	if (!response.ok) throw new Error(`${url} is ${response.status}.`);
	await place.write("document.json", await response.text());
}
