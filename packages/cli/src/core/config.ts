// The platform's URL and the API key come from flags, the environment, and files that only their owner can read.
import { usageError } from "./exit-codes.ts";
import { originOf } from "./origin.ts";
import type { Environment, Profile, StoredConfig } from "./profiles.ts";

/** The platform to which a command sends its requests. */
export interface Connection {
	readonly url: string;
	/** Undefined for operations that need no key. */
	readonly apiKey: string | undefined;
	readonly keySource: "environment" | "file" | null;
	/** The profile with the key. */
	readonly profile?: string | undefined;
}

/** Returns the name of the current profile: the one that a flag or BOUNTY_PROFILE names, or the stored one, or null. */
export function nameOfProfile({ current }: StoredConfig, env: Environment, named: string | undefined): string | null {
	return named ?? (env["BOUNTY_PROFILE"] || undefined) ?? current;
}

interface Choice {
	readonly env: Environment;
	/** The value of `--url`. */
	readonly url?: string | undefined;
	/** The value of `--profile`. */
	readonly profile?: string | undefined;
	/** The URL of a task in an argument. */
	readonly taskUrl?: string | undefined;
}

/**
 * Chooses URL and key: flags have priority over the environment, and the environment over the profiles. The key of a profile is sent only
 * to the platform of its URL, even if the URL of a task in an argument names another platform.
 */
export function chooseConnection(stored: StoredConfig, { env, url: flag, profile: named, taskUrl }: Choice): Connection {
	const profile = findNamed(stored, env, named);
	const explicit = flag ?? profile?.url ?? (env["BOUNTY_URL"] || undefined);
	assertSamePlatform(explicit, taskUrl);
	const current = profile ?? profileAt(stored, explicit ?? taskUrl);
	const url = explicit ?? current?.url ?? (taskUrl === undefined ? undefined : originOf(taskUrl));
	if (url === undefined) throw noPlatform(stored);
	// A key in the environment without a URL is for the current platform. Do not send it to another platform that a task's URL names.
	const isLinked = explicit === undefined && taskUrl !== undefined && originOf(currentOf(stored)?.url ?? "") !== originOf(taskUrl);
	const fromEnvironment = profile === undefined && !isLinked ? env["BOUNTY_API_KEY"]?.trim() : undefined;
	if (fromEnvironment) return { url, apiKey: fromEnvironment, keySource: "environment" };
	const isSame = current !== undefined && originOf(current.url) === originOf(url);
	if (!isSame) return { url, apiKey: undefined, keySource: null };
	const [name] = Object.entries(stored.profiles).find(([, each]) => each === current) ?? [];
	return { url, apiKey: current.apiKey, keySource: "file", profile: name };
}

function noPlatform({ profiles, broken }: StoredConfig): Error {
	const known = Object.keys(profiles).length === 0 ? [] : ["Choose a profile: bounty profiles use <name>"];
	const hints = [...Object.values(broken), ...known, "Run: bounty login --url <platform>", "Or set BOUNTY_URL, or pass --url."];
	return usageError("No platform is set.", ...hints);
}

function assertSamePlatform(url: string | undefined, taskUrl: string | undefined): void {
	if (url === undefined || taskUrl === undefined || originOf(url) === originOf(taskUrl)) return;
	throw usageError(`The task is on ${originOf(taskUrl)}, but the platform in use is ${url}.`, `Pass --url ${originOf(taskUrl)}`);
}

function currentOf({ current, profiles }: StoredConfig): Profile | undefined {
	return current === null ? undefined : profiles[current];
}

/**
 * Returns the profile that a flag or the environment names.
 *
 * @throws CommandError if it does not exist.
 */
function findNamed({ profiles, broken }: StoredConfig, env: Environment, named: string | undefined): Profile | undefined {
	const name = named ?? (env["BOUNTY_PROFILE"] || undefined);
	if (name === undefined) return undefined;
	const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
	if (profile === undefined && Object.hasOwn(broken, name)) {
		throw usageError(broken[name] ?? "", `Run: bounty login --profile ${name}`, "The login keeps the file under another name.");
	}
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
