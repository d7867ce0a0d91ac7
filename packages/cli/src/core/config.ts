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
	/** An API key, or the access token of a sign-in. */
	readonly apiKey: string;
	/** A sign-in has this, and a key has none. */
	readonly refreshToken?: string | undefined;
	/** The access token ends at this time, in milliseconds since the epoch. */
	readonly expiresAt?: number | undefined;
}

/** The file has this content. */
export interface StoredConfig {
	/** Commands use this profile if none is named. */
	readonly current: string | null;
	readonly profiles: Readonly<Record<string, Profile>>;
}

/** The first profile has this name, for people who need no second one. */
export const DEFAULT_PROFILE = "default";
const NO_PROFILES: StoredConfig = { current: null, profiles: {} };

/** A command sends its requests to this platform. */
export interface Connection {
	readonly url: string;
	/** The key is undefined for operations that anyone may call. */
	readonly apiKey: string | undefined;
	readonly keySource: "environment" | "file" | null;
	/** The key comes from this profile. */
	readonly profile?: string | undefined;
}

/** Returns the file's path, in the XDG config folder. */
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

/** Reads the file, and returns an empty configuration if there is none. @throws CommandError for one that cannot be read. */
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
		const { url, api_key: apiKey, refresh_token: refreshToken, expires_at: expiresAt } = isRecord(each) ? each : {};
		if (typeof url !== "string" || typeof apiKey !== "string") return [];
		const isSignIn = typeof refreshToken === "string" && typeof expiresAt === "number";
		return [[name, { url, apiKey, ...(isSignIn ? { refreshToken, expiresAt } : {}) }]];
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

/** Writes the whole file, at mode 0600 from its first moment, and returns its path. */
export async function writeConfig(env: Environment, { current, profiles }: StoredConfig): Promise<string> {
	const path = configPath(env);
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
	const draft = `${path}.${process.pid}`;
	const stored = Object.entries(profiles).map(
		([name, { url, apiKey, refreshToken, expiresAt }]) =>
			[
				name,
				{ url, api_key: apiKey, ...(refreshToken === undefined ? {} : { refresh_token: refreshToken, expires_at: expiresAt }) },
			] as const,
	);
	const content = { version: 1, current, profiles: Object.fromEntries(stored) };
	await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
	// The mode above applies to a new file only.
	await chmod(draft, 0o600);
	await rename(draft, path);
	return path;
}

/** Returns the name of the current profile: the one that a flag or BOUNTY_PROFILE names, or the stored one, or null. */
export function nameOfProfile({ current }: StoredConfig, env: Environment, named: string | undefined): string | null {
	return named ?? (env["BOUNTY_PROFILE"] || undefined) ?? current;
}

/** Returns a configuration without one profile. If it was the current one, the first of the others becomes current. */
export function withoutProfile({ current, profiles }: StoredConfig, name: string): StoredConfig {
	const rest = Object.fromEntries(Object.entries(profiles).filter(([other]) => other !== name));
	return { current: current === name ? (Object.keys(rest)[0] ?? null) : current, profiles: rest };
}

export function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

interface Choice {
	readonly env: Environment;
	/** This is the value of `--url`. */
	readonly url?: string | undefined;
	/** This is the value of `--profile`. */
	readonly profile?: string | undefined;
	/** An argument names this URL of a task. */
	readonly taskUrl?: string | undefined;
}

/**
 * Chooses URL and key: flags have priority over the environment, and the environment over the file. The key of a profile is only for its
 * URL, so that it is not sent to another platform. For the same reason, the URL of a task chooses only among the known platforms.
 */
export function chooseConnection(stored: StoredConfig, { env, url: flag, profile: named, taskUrl }: Choice): Connection {
	const profile = findNamed(stored, env, named);
	const explicit = flag ?? profile?.url ?? (env["BOUNTY_URL"] || undefined);
	assertSamePlatform(explicit, taskUrl);
	const current = profile ?? profileAt(stored, explicit ?? taskUrl);
	const url = explicit ?? current?.url ?? (taskUrl === undefined ? undefined : originOf(taskUrl));
	if (url === undefined) throw usageError("No platform is set.", "Run: bounty login --url <platform>", "Or set BOUNTY_URL, or pass --url.");
	// A key without a URL belongs to the current platform, and not to the platform of a link.
	const isLinked = explicit === undefined && taskUrl !== undefined && originOf(currentOf(stored)?.url ?? "") !== originOf(taskUrl);
	const fromEnvironment = profile === undefined && !isLinked ? env["BOUNTY_API_KEY"]?.trim() : undefined;
	if (fromEnvironment) return { url, apiKey: fromEnvironment, keySource: "environment" };
	const isSame = current !== undefined && originOf(current.url) === originOf(url);
	if (!isSame) return { url, apiKey: undefined, keySource: null };
	const [name] = Object.entries(stored.profiles).find(([, each]) => each === current) ?? [];
	return { url, apiKey: current.apiKey, keySource: "file", profile: name };
}

function assertSamePlatform(url: string | undefined, taskUrl: string | undefined): void {
	if (url === undefined || taskUrl === undefined || originOf(url) === originOf(taskUrl)) return;
	throw usageError(`The task is on ${originOf(taskUrl)}, but the platform in use is ${url}.`, `Pass --url ${originOf(taskUrl)}`);
}

function currentOf({ current, profiles }: StoredConfig): Profile | undefined {
	return current === null ? undefined : profiles[current];
}

/** Returns the profile that a flag or the environment names. @throws CommandError if there is none of that name. */
function findNamed({ profiles }: StoredConfig, env: Environment, named: string | undefined): Profile | undefined {
	const name = named ?? (env["BOUNTY_PROFILE"] || undefined);
	if (name === undefined) return undefined;
	const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
	if (profile === undefined)
		throw usageError(`There is no profile ${name}.`, `Run: bounty login --profile ${name}`, "List them with: bounty profiles");
	return profile;
}

/** Returns the current profile, or another one for the platform of a URL. */
function profileAt(stored: StoredConfig, url: string | undefined): Profile | undefined {
	const current = currentOf(stored);
	if (url === undefined || (current !== undefined && originOf(current.url) === originOf(url))) return current;
	return Object.values(stored.profiles).find((each) => originOf(each.url) === originOf(url));
}

/** Returns the origin of a URL. A text that is not a URL stays unchanged, and is rejected later. */
export function originOf(url: string): string {
	return URL.canParse(url) ? new URL(url).origin : url;
}
