// Static files are deployed with the Worker. The Worker decides which file it returns for each URL.
import type { z } from "zod";

export interface Assets {
	/**
	 * Finds a file with its content type and ETag, or returns null if it does not exist.
	 *
	 * @param path The path from the root of the built site, without a leading `/`.
	 * @param condition The value of the request's `If-None-Match`. The response is a 304 if the file still has this ETag.
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

/** The binding needs a full URL, but ignores its origin. */
const ORIGIN = "https://assets.invalid/";

/** The parsed JSON files of each binding, keyed by their schema. A binding lives as long as its isolate. */
const parsedFiles = new WeakMap<Fetcher, WeakMap<z.ZodType, unknown>>();

/**
 * Reads files through the binding of Workers' static assets.
 *
 * @param stagedDocsUrl In development, the URL of documentation files that were built after the server started.
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

/** Rejects `..` and characters with a special meaning in URLs, because the path of the file becomes the path of a URL. */
function isFilePath(path: string): boolean {
	return path.split("/").every((part) => /^[\w-][\w.-]*$/.test(part));
}
