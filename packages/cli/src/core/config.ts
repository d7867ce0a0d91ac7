// The platform's URL and the API key come from flags, the environment, and a file that only its owner can read.
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { usageError } from "./exit-codes.ts";
import { isRecord } from "./sdk.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** `bounty login` stores one for each platform or account. */
export interface Profile {
	readonly url: string;
	readonly apiKey: string;
}

/** The content of the file. */
export interface StoredConfig {
	/** The profile that commands use if none is named. */
	readonly current: string | null;
	readonly profiles: Readonly<Record<string, Profile>>;
}

/** The name of the first profile, for people who need no second one. */
export const DEFAULT_PROFILE = "default";
const NO_PROFILES: StoredConfig = { current: null, profiles: {} };

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
		if (isMissing(error)) return NO_PROFILES;
		throw usageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
	}
	const value = parse(text);
	if (!isRecord(value) || !isRecord(value["profiles"])) {
		throw usageError(`${path} is not a configuration.`, "Delete the file; then run: bounty login");
	}
	const named = Object.entries(value["profiles"]).flatMap(([name, each]): [string, Profile][] => {
		const { url, api_key: apiKey } = isRecord(each) ? each : {};
		return typeof url === "string" && typeof apiKey === "string" ? [[name, { url, apiKey }]] : [];
	});
	const { current } = value;
	return { current: typeof current === "string" ? current : null, profiles: Object.fromEntries(named) };
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}

/** Writes the file as a whole, at mode 0600 from its first moment. Returns its path. */
export async function writeConfig(env: Environment, { current, profiles }: StoredConfig): Promise<string> {
	const path = configPath(env);
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const draft = `${path}.${process.pid}`;
	const stored = Object.entries(profiles).map(([name, { url, apiKey }]) => [name, { url, api_key: apiKey }] as const);
	const content = { version: 1, current, profiles: Object.fromEntries(stored) };
	await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
	// The mode above counts for a new file only.
	await chmod(draft, 0o600);
	await rename(draft, path);
	return path;
}

/** The name of the profile that is in use: the one that is named by a flag or BOUNTY_PROFILE, or the current one; null if there is none. */
export function nameOfProfile({ current }: StoredConfig, env: Environment, named: string | undefined): string | null {
	return named ?? (env["BOUNTY_PROFILE"] || undefined) ?? current;
}

/** A configuration without one profile. The first of the others becomes the current one if it was that. */
export function withoutProfile({ current, profiles }: StoredConfig, name: string): StoredConfig {
	const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
	return { current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest };
}

export function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

interface Choice {
	readonly env: Environment;
	/** The value of `--url`. */
	readonly url?: string | undefined;
	/** The value of `--profile`. */
	readonly profile?: string | undefined;
	/** The URL of a task that an argument names. */
	readonly taskUrl?: string | undefined;
}

/**
 * Chooses URL and key: flags win over the environment, and the environment over the file. The key of a profile is only for the URL of that
 * profile, so that naming another platform does not send it there. For the same reason, the URL of a task only chooses among the platforms
 * that are known.
 */
export function chooseConnection(stored: StoredConfig, { env, url: flag, profile: named, taskUrl }: Choice): Connection {
	const profile = findNamed(stored, env, named);
	const explicit = flag ?? profile?.url ?? (env["BOUNTY_URL"] || undefined);
	assertSamePlatform(explicit, taskUrl);
	const current = profile ?? profileAt(stored, explicit ?? taskUrl);
	const url = explicit ?? current?.url ?? (taskUrl === undefined ? undefined : originOf(taskUrl));
	if (url === undefined) throw usageError("No platform is set.", "Run: bounty login --url <platform>", "Or set BOUNTY_URL, or pass --url.");
	// A key without a URL belongs to the platform that is current, and not to one that a link leads to.
	const isLinked = explicit === undefined && taskUrl !== undefined && originOf(currentOf(stored)?.url ?? "") !== originOf(taskUrl);
	const fromEnvironment = profile === undefined && !isLinked ? env["BOUNTY_API_KEY"]?.trim() : undefined;
	if (fromEnvironment) return { url, apiKey: fromEnvironment, keySource: "environment" };
	const isSame = current !== undefined && originOf(current.url) === originOf(url);
	return { url, apiKey: isSame ? current.apiKey : undefined, keySource: isSame ? "file" : null };
}

function assertSamePlatform(url: string | undefined, taskUrl: string | undefined): void {
	if (url === undefined || taskUrl === undefined || originOf(url) === originOf(taskUrl)) return;
	throw usageError(`The task is on ${originOf(taskUrl)}, but the platform in use is ${url}.`, `Pass --url ${originOf(taskUrl)}`);
}

function currentOf({ current, profiles }: StoredConfig): Profile | undefined {
	return current === null ? undefined : profiles[current];
}

/** The profile that a flag or the environment names. @throws CommandError if there is none of that name. */
function findNamed({ profiles }: StoredConfig, env: Environment, named: string | undefined): Profile | undefined {
	const name = named ?? (env["BOUNTY_PROFILE"] || undefined);
	if (name === undefined) return undefined;
	const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
	if (profile === undefined)
		throw usageError(`There is no profile ${name}.`, `Run: bounty login --profile ${name}`, "List them with: bounty profiles");
	return profile;
}

/** The current profile, or another one that is for the platform of a URL. */
function profileAt(stored: StoredConfig, url: string | undefined): Profile | undefined {
	const current = currentOf(stored);
	if (url === undefined || (current !== undefined && originOf(current.url) === originOf(url))) return current;
	return Object.values(stored.profiles).find((each) => originOf(each.url) === originOf(url));
}

/** The origin of a URL; text that is not a URL stays as it is, and is rejected where it is used. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
