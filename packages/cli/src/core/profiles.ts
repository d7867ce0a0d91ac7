// Stores each profile in a file of its own, so that commands that run at the same time do not overwrite each other's profiles.
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { usageError } from "./exit-codes.ts";
import { withLock } from "./lock.ts";
import { originOf } from "./origin.ts";
import { isRecord } from "./sdk.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** A login to one platform with one account, as `bounty login` stores it. */
export interface Profile {
	readonly url: string;
	/** An API key, or the access token of a sign-in. */
	readonly apiKey: string;
	/** The id of the agent that the key belongs to. */
	readonly agentId?: string | undefined;
	/** A sign-in has a refresh token, and a key has none. */
	readonly refreshToken?: string | undefined;
	/** When the access token expires, in milliseconds since the epoch. */
	readonly expiresAt?: number | undefined;
}

/** The profiles that this machine stores. */
export interface StoredConfig {
	/** The profile that commands use by default. */
	readonly current: string | null;
	readonly profiles: Readonly<Record<string, Profile>>;
	/** The profiles whose files cannot be read, with the reasons. */
	readonly broken: Readonly<Record<string, string>>;
}

/** The name of the first profile, for people who need only one. */
export const DEFAULT_PROFILE = "default";
const FILE = /^([\w.-]{1,64})\.json$/;
const CURRENT = "current";
const BOM = /^\ufeff/;

/** Returns the folder of this program in the XDG config folder, in APPDATA on Windows, or in ~/.config. */
function configFolder(env: Environment): string {
	const base = env["XDG_CONFIG_HOME"];
	// The XDG specification says to ignore relative paths.
	const folder = base?.startsWith("/")
		? base
		: process.platform === "win32" && env["APPDATA"]
			? env["APPDATA"]
			: join(env["HOME"] ?? homedir(), ".config");
	return join(folder, "bounty");
}

export function profilePath(env: Environment, name: string): string {
	return join(configFolder(env), "profiles", `${name}.json`);
}

/** @throws CommandError for a name that cannot be the name of a file, or that differs from another only in case. */
export function assertProfileName(name: string, { profiles, broken }: StoredConfig): void {
	if (!/^[\w.-]{1,64}$/.test(name)) throw usageError("The name of a profile can contain only letters, digits and . _ -");
	// On file systems that ignore case, the two would be one file.
	const other = [...Object.keys(profiles), ...Object.keys(broken)].find((each) => each !== name && isSameWord(each, name));
	if (other !== undefined) throw usageError(`The profile ${other} already exists. Choose a name that differs in more than case.`);
}

function isSameWord(one: string, other: string): boolean {
	return one.toLowerCase() === other.toLowerCase();
}

/** Reads all profiles. It never fails, because a broken file must not stop a command that does not need it. */
export async function readConfig(env: Environment): Promise<StoredConfig> {
	const folder = dirname(profilePath(env, DEFAULT_PROFILE));
	const profiles: [string, Profile][] = [];
	const broken: [string, string][] = [];
	const files = await readdir(folder).catch((error: unknown) => {
		if (!isMissing(error)) broken.push([DEFAULT_PROFILE, `${folder} cannot be read: ${messageOf(error)}`]);
		return [];
	});
	const names = files.flatMap((file) => FILE.exec(file)?.[1] ?? []);
	for (const name of names.toSorted()) {
		const profile = await readProfile(env, name);
		if (typeof profile === "string") broken.push([name, profile]);
		else if (profile !== null) profiles.push([name, profile]);
	}
	const stored = { profiles: Object.fromEntries(profiles), broken: Object.fromEntries(broken) };
	return { current: await readCurrent(env, stored), ...stored };
}

/** Returns the profile, null if there is none, or a string that says why its file cannot be read. */
export async function readProfile(env: Environment, name: string): Promise<Profile | string | null> {
	const path = profilePath(env, name);
	let value: unknown;
	try {
		value = JSON.parse((await readFile(path, "utf8")).replace(BOM, ""));
	} catch (error) {
		if (isMissing(error)) return null;
		return error instanceof SyntaxError ? `${path} is not a profile.` : `${path} cannot be read: ${messageOf(error)}`;
	}
	const { url, api_key: apiKey, agent_id: agentId, refresh_token: refreshToken, expires_at: expiresAt } = isRecord(value) ? value : {};
	if (typeof url !== "string" || typeof apiKey !== "string") return `${path} is not a profile.`;
	const isSignIn = typeof refreshToken === "string" && typeof expiresAt === "number";
	return { url, apiKey, ...(typeof agentId === "string" ? { agentId } : {}), ...(isSignIn ? { refreshToken, expiresAt } : {}) };
}

/** Returns the name in the file `current`. If that names no profile, returns the only profile, or null if there are several or none. */
async function readCurrent(env: Environment, { profiles, broken }: Omit<StoredConfig, "current">): Promise<string | null> {
	const name = (await readFile(join(configFolder(env), CURRENT), "utf8").catch(() => "")).replace(BOM, "").trim();
	if (Object.hasOwn(profiles, name) || Object.hasOwn(broken, name)) return name;
	const [first, ...others] = [...Object.keys(profiles), ...Object.keys(broken)];
	return first === undefined || others.length > 0 ? null : first;
}

/**
 * Creates the folder of the profiles, before a login gets a key that must be stored.
 *
 * @throws Error if it cannot be written.
 */
export async function prepareProfiles(env: Environment): Promise<void> {
	const path = profilePath(env, DEFAULT_PROFILE);
	await makeFolder(path);
	await rm(await writeDraft(path, ""));
}

async function makeFolder(path: string): Promise<void> {
	await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}

interface StoredProfile {
	readonly path: string;
	/** The new name of the login that had this name before, because it belongs to another agent. */
	readonly kept: string | null;
	/** The new path of the file that could not be read. */
	readonly moved: string | null;
}

/**
 * Stores a login, and uses it from now on. The login of another agent under the same name gets another name, because its key may be
 * nowhere else.
 *
 * @throws Error if it cannot be written. The earlier login is then still there.
 */
export async function storeProfile(env: Environment, name: string, profile: Profile): Promise<StoredProfile> {
	const path = profilePath(env, name);
	await makeFolder(path);
	const stored = await withLock(lockPath(env, name), async () => {
		const earlier = await readProfile(env, name);
		const draft = await writeDraft(path, toText(profile));
		try {
			const moved = typeof earlier === "string" ? `${path}.broken-${randomUUID().slice(0, 8)}` : null;
			if (moved !== null) await rename(path, moved);
			const isOther = earlier !== null && typeof earlier === "object" && !isSameAgent(earlier, profile);
			const kept = isOther ? await copyToFreeName(env, name) : null;
			await rename(draft, path);
			return { path, kept, moved };
		} finally {
			await rm(draft, { force: true });
		}
	});
	await useProfile(env, name);
	return stored;
}

function isSameAgent(one: Profile, other: Profile): boolean {
	if (originOf(one.url) !== originOf(other.url)) return false;
	return one.apiKey === other.apiKey || (one.agentId !== undefined && one.agentId === other.agentId);
}

async function copyToFreeName(env: Environment, name: string): Promise<string> {
	for (let number = 2; ; number += 1) {
		const free = `${name.slice(0, 58)}-${number}`;
		try {
			await copyFile(profilePath(env, name), profilePath(env, free), constants.COPYFILE_EXCL);
			return free;
		} catch (error) {
			if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
		}
	}
}

/**
 * Replaces a profile with what `change` returns, and returns that. Returns undefined if there is no profile, or if its file cannot be read.
 */
export function changeProfile(
	env: Environment,
	name: string,
	{ change, signal }: { change: (profile: Profile) => Promise<Profile>; signal: AbortSignal },
): Promise<Profile | undefined> {
	const work = async () => {
		const earlier = await readProfile(env, name);
		if (earlier === null || typeof earlier === "string") return undefined;
		const profile = await change(earlier);
		const path = profilePath(env, name);
		if (profile !== earlier) await rename(await writeDraft(path, toText(profile)), path);
		return profile;
	};
	return withLock(lockPath(env, name), work, signal);
}

/** Deletes a profile. If it was the current one, the first of the others becomes current. Returns the new current one. */
export async function forgetProfile(env: Environment, name: string): Promise<string | null> {
	await withLock(lockPath(env, name), () => rm(profilePath(env, name), { force: true }));
	const { current, profiles } = await readConfig(env);
	const next = current ?? Object.keys(profiles)[0] ?? null;
	if (next !== null) await useProfile(env, next);
	return next;
}

/** Makes a profile the current one. */
export async function useProfile(env: Environment, name: string): Promise<void> {
	const path = join(configFolder(env), CURRENT);
	await rename(await writeDraft(path, `${name}\n`), path);
}

function lockPath(env: Environment, name: string): string {
	return `${profilePath(env, name)}.lock`;
}

function toText({ url, apiKey, agentId, refreshToken, expiresAt }: Profile): string {
	const signIn = refreshToken === undefined ? {} : { refresh_token: refreshToken, expires_at: expiresAt };
	return `${JSON.stringify({ version: 1, url, api_key: apiKey, agent_id: agentId, ...signIn }, null, 2)}\n`;
}

/** Writes a new file next to a path, with mode 0600 from the start. Renaming it replaces the file at the path in one step. */
async function writeDraft(path: string, text: string): Promise<string> {
	const draft = `${path}.${randomUUID()}`;
	try {
		// Without flushing, a power failure after the renaming could leave an empty file.
		await writeFile(draft, text, { mode: 0o600, flag: "wx", flush: true });
		await chmod(draft, 0o600);
	} catch (error) {
		await rm(draft, { force: true });
		throw error;
	}
	return draft;
}

export function isMissing(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function messageOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
