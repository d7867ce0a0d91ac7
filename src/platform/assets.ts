// Static files are deployed with the Worker, which decides what file each URL shows.
import type { z } from "zod";

export interface Assets {
	/**
	 * Finds a file with its content type and ETag, or returns null if it does not exist.
	 *
	 * @param path From the root of the built site, without a leading `/`. File names have only plain characters.
	 * @param condition The caller's ETag: the response is a 304 if the file still has it.
	 * @throws Error when the files cannot be read.
	 */
	find(path: string, condition?: { readonly ifNoneMatch: string | undefined }): Promise<Response | null>;
	/**
	 * Reads and parses a JSON file, once per isolate.
	 *
	 * @throws Error when the file is missing or does not match the schema, because the site was not built.
	 */
	readJson<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
}

/** The binding needs a URL with an origin, but any origin will do. */
const ORIGIN = "https://assets.invalid/";

/** Parsed files per binding, by schema. A binding lives for as long as its isolate. */
const parsedFiles = new WeakMap<Fetcher, WeakMap<z.ZodType, unknown>>();

/**
 * Reads files through the binding of Workers' static assets.
 *
 * @param stagedDocsUrl In development, the URL of the documentation files that were built after the start.
 */
export function createAssets(binding: Fetcher, stagedDocsUrl?: string): Assets {
	const find: Assets["find"] = async (path, { ifNoneMatch } = { ifNoneMatch: undefined }) => {
		if (!isFilePath(path)) return null;
		const response = await binding.fetch(ORIGIN + path, ifNoneMatch === undefined ? {} : { headers: { "If-None-Match": ifNoneMatch } });
		if (response.status === 404) return stagedDocsUrl !== undefined && path.startsWith("docs/") ? findStaged(stagedDocsUrl, path) : null;
		if (!response.ok && response.status !== 304) throw new Error(`The static file ${path} returned ${response.status}.`);
		return response;
	};
	return {
		find,
		async readJson(path, schema) {
			const values = parsedFiles.get(binding) ?? new WeakMap<z.ZodType, unknown>();
			parsedFiles.set(binding, values);
			const parsed = values.get(schema);
			if (parsed !== undefined) return parsed as z.output<typeof schema>;
			const response = await find(path);
			if (response === null) throw new Error(`The static file ${path} is missing.`);
			const value = schema.parse(await response.json());
			values.set(schema, value);
			return value;
		},
	};
}

async function findStaged(stagedDocsUrl: string, path: string): Promise<Response | null> {
	const response = await fetch(`${stagedDocsUrl}/${path}`).catch(() => null);
	return response?.ok === true ? response : null;
}

/** Allows only characters without special meaning in URLs, and no `..`, because the file's path is also its URL path. */
function isFilePath(path: string): boolean {
	return path.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
}
