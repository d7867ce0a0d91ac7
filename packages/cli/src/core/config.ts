// The platform's URL and the API key come from flags, the environment, and a file that only its owner can read.
import { chmod, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { usageError } from "./exit-codes.ts";
import { isRecord } from "./sdk.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `bounty login` stores this. */
export interface StoredConfig {
	readonly url?: string | undefined;
	readonly apiKey?: string | undefined;
}

/** The platform that a command speaks to. */
export interface Connection {
	readonly url: string;
	/** Undefined for what anyone can do. */
	readonly apiKey: string | undefined;
	readonly keySource: "environment" | "file" | null;
}

/** The file's path, in the XDG config folder. */
export function configPath(env: Environment): string {
	const base = env["XDG_CONFIG_HOME"];
	// The XDG specification says to ignore relative paths.
	const folder = base?.startsWith("/")
		? base
		: process.platform === "win32" && env["APPDATA"]
			? env["APPDATA"]
			: join(homedirOf(env), ".config");
	return join(folder, "bounty", "config.json");
}

function homedirOf(env: Environment): string {
	return env["HOME"] ?? homedir();
}

/** Reads the file; empty if there is none. @throws CommandError for one that cannot be read. */
export async function readConfig(env: Environment): Promise<StoredConfig> {
	const path = configPath(env);
	let text: string;
	try {
		text = await readFile(path, "utf8");
	} catch (error) {
		if (isMissing(error)) return {};
		throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	const value = parse(text);
	if (!isRecord(value)) throw usageError(`${path} is not a configuration.`, "Delete the file; then run: bounty login");
	const { url, api_key: apiKey } = value;
	return { ...(typeof url === "string" ? { url } : {}), ...(typeof apiKey === "string" ? { apiKey } : {}) };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** Writes the file as a whole, at mode 0600 from its first moment. Returns its path. */
export async function writeConfig(env: Environment, { url, apiKey }: StoredConfig): Promise<string> {
	const path = configPath(env);
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const draft = `${path}.${process.pid}`;
	await writeFile(draft, `${JSON.stringify({ version: 1, url, api_key: apiKey }, null, 2)}\n`, { mode: 0o600 });
	// The mode above counts for a new file only.
	await chmod(draft, 0o600);
	await rename(draft, path);
	return path;
}

/** Forgets everything. */
export async function deleteConfig(env: Environment): Promise<string> {
	const path = configPath(env);
	await rm(path, { force: true });
	return path;
}

export function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/**
 * Chooses URL and key: the flag wins over the environment, and the environment over the file. The key of the file is only for the URL of
 * the file, so that naming another platform does not send it there.
 */
export function chooseConnection(stored: StoredConfig, { env, url: flag }: { env: Environment; url: string | undefined }): Connection {
	const url = flag ?? (env["BOUNTY_URL"] || undefined) ?? stored.url;
	if (url === undefined) {
		throw usageError("No platform is set.", "Run: bounty login", "Or set BOUNTY_URL, or pass --url.");
	}
	const fromEnvironment = env["BOUNTY_API_KEY"]?.trim() || undefined;
	if (fromEnvironment !== undefined) return { url, apiKey: fromEnvironment, keySource: "environment" };
	const isSame = stored.url !== undefined && originOf(stored.url) === originOf(url);
	return { url, apiKey: isSame ? stored.apiKey : undefined, keySource: isSame && stored.apiKey !== undefined ? "file" : null };
}

/** The origin of a URL; text that is not a URL stays as it is, and is rejected where it is used. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
