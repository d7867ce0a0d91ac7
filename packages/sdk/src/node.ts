// The entry point for Node, Deno and Bun, which adds file paths to the portable client.
import { readFile, stat } from "node:fs/promises";
import { BountyClient as PortableClient } from "./client.ts";
import { BountyUsageError } from "./core/errors.ts";
import type { CallOptions, ClientOptions } from "./core/options.ts";
import type { CheckSubmissionResult } from "./generated/methods.ts";
import { readWorkFolder, type WorkFolder, type WorkFolderOptions } from "./node/work-folder.ts";
import type { SubmissionHandle } from "./submit/handle.ts";
import type { SubmitOptions, Submittable } from "./submit/submit.ts";

export * from "./index.ts";
export { readWorkFolder, type WorkFolder, type WorkFolderOptions } from "./node/work-folder.ts";

/**
 * Returns the files that `submit` sends from a folder, by their relative paths in the order of their names.
 * {@link readWorkFolder} also says what was left out.
 *
 * @throws BountyUsageError for something that is not a folder, or for more than a submission may have.
 */
export async function readFolder(folder: string, options: WorkFolderOptions = {}): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
	return (await readWorkFolder(folder, options)).files;
}

/** Files by path, a zip, or the path of a folder, a zip or a single file. */
export type NodeSubmittable = Submittable | string;

type PathOptions = Pick<WorkFolderOptions, "filter" | "includeSecrets">;

export interface NodeSubmitOptions extends SubmitOptions, PathOptions {}

/** A client that also accepts paths of files and folders, and whose settings can come from the environment. */
export class BountyClient extends PortableClient {
	readonly #apiKey: string | undefined;

	/**
	 * @param options The defaults of `baseUrl` and `apiKey` are `BOUNTY_URL` and `BOUNTY_API_KEY` from the environment.
	 * @throws BountyUsageError for a wrong option, such as a `baseUrl` with plain http that is not loopback.
	 */
	constructor(options: Partial<ClientOptions> = {}) {
		const baseUrl = options.baseUrl ?? process.env["BOUNTY_URL"];
		if (baseUrl === undefined || baseUrl === "") throw new BountyUsageError("Pass baseUrl, or set BOUNTY_URL to the platform's URL.");
		// A client with a URL but no key ignores the key in the environment, because that key may be for another platform.
		const apiKey = options.apiKey ?? (options.baseUrl === undefined ? process.env["BOUNTY_API_KEY"] || undefined : undefined);
		super({ ...options, baseUrl, apiKey });
		this.#apiKey = apiKey;
	}

	/**
	 * Does what the portable client does. A string is the path of a folder, of a zip, or of a single file. From a folder, the client leaves
	 * out what ignore files name, what looks like a secret, and what tools can regenerate.
	 */
	override async submit(taskId: string, work: NodeSubmittable, options: NodeSubmitOptions = {}): Promise<SubmissionHandle> {
		const { filter, includeSecrets, ...rest } = options;
		return super.submit(taskId, await this.#read(work, { filter, includeSecrets, signal: rest.signal }), rest);
	}

	/** Does what the portable client does. A string is a path, as in `submit`. */
	override async check(
		taskId: string,
		work: NodeSubmittable,
		{ filter, includeSecrets, ...rest }: CallOptions & PathOptions = {},
	): Promise<CheckSubmissionResult> {
		return super.check(taskId, await this.#read(work, { filter, includeSecrets, signal: rest.signal }), rest);
	}

	async #read(work: NodeSubmittable, options: WorkFolderOptions): Promise<Submittable> {
		if (typeof work !== "string") return work;
		const found = await stat(work).catch((error: unknown) => {
			throw new BountyUsageError(`${work} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
		});
		if (!found.isDirectory()) return readSingle(work);
		const folder = await readWorkFolder(work, { ...options, apiKey: this.#apiKey });
		warnOfLeftOut(folder);
		return folder.files;
	}
}

/** Returns the bytes of a zip, or one file under its name. */
async function readSingle(path: string): Promise<Submittable> {
	const bytes = new Uint8Array(await readFile(path));
	const name = path.split(/[/\\]/).at(-1) ?? path;
	const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && name.toLowerCase().endsWith(".zip");
	return isZip ? bytes : new Map([[name, bytes]]);
}

function warnOfLeftOut({ secrets, links }: WorkFolder): void {
	if (secrets.length > 0) {
		process.emitWarning(`Left out because they look like secrets: ${secrets.join(", ")}. includeSecrets sends them.`, "BountyWarning");
	}
	if (links.length > 0)
		process.emitWarning(`Left out because these links do not lead to a file that is sent: ${links.join(", ")}`, "BountyWarning");
}
