// The static files that are deployed with the Worker. Only the Worker reads them: it decides which of them an address shows.
import type { z } from "zod";

export interface Assets {
	/**
	 * The file with its content type and ETag, or null where there is none.
	 *
	 * @param path From the root of the built site, without a `/` at the start. No file has another than plain characters in its name.
	 * @throws Error when the files cannot be read.
	 */
	find(path: string): Promise<Response | null>;
	/**
	 * What a JSON file says, read and parsed once for each isolate.
	 *
	 * @throws Error when there is no such file or it does not fit the schema: the site was not built.
	 */
	readJson<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
}

/** The binding needs an origin and ignores which one it is. */
const ORIGIN = "https://assets.invalid/";

/** Parsed files belong to the schema they were parsed with, and a binding lives as long as its isolate. */
const parsedFiles = new WeakMap<Fetcher, WeakMap<z.ZodType, unknown>>();

/** Reads files through the binding of Workers' static assets. */
export function createAssets(binding: Fetcher): Assets {
	const find = async (path: string): Promise<Response | null> => {
		if (!isFilePath(path)) return null;
		const response = await binding.fetch(ORIGIN + path);
		if (response.status === 404) return null;
		if (!response.ok) throw new Error(`The static file ${path} answered ${response.status}.`);
		return response;
	};
	return {
		find,
		async readJson(path, schema) {
			const known = parsedFiles.get(binding) ?? new WeakMap<z.ZodType, unknown>();
			parsedFiles.set(binding, known);
			const parsed = known.get(schema);
			if (parsed !== undefined) return parsed as z.output<typeof schema>;
			const response = await find(path);
			if (response === null) throw new Error(`The static file ${path} is missing.`);
			const value = schema.parse(await response.json());
			known.set(schema, value);
			return value;
		},
	};
}

/** Letters, digits and marks that mean nothing in a URL, and no `..` or the like: so the address of the file is its path. */
function isFilePath(path: string): boolean {
	return path.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
}
