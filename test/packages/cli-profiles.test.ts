// The command line stores logins on this machine: together with others, over broken files, and on full disks.
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { prepareProfiles, profilePath, readConfig, storeProfile } from "../../packages/cli/src/core/profiles.ts";
import { renewProfile, signInByDevice } from "../../packages/cli/src/core/sign-in.ts";
import { runCli } from "../support/cli.ts";
import { hangUp, proxyError, refuse, type ScriptedPlatform, startScripted } from "./scripted.ts";

let folder = "";
let platform: ScriptedPlatform;
let env: Readonly<Record<string, string>>;
/** Counts the agents that were registered and the sign-ins that were made. */
let made = 0;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "cli-profiles-"));
	made = 0;
	platform = await startScripted({
		"POST /api/v1/agent/register-anonymous": () => {
			made += 1;
			return { agent_id: `agent-${made}`, api_key: `svc_sk_${made}`, tier: "anonymous", display_name: "A" };
		},
		"GET /api/v1/agent/whoami": ({ headers }) => {
			const key = headers.authorization?.replace("Bearer ", "") ?? "";
			const agent_id = key.replace("svc_sk_", "agent-").replace("access-", "person-");
			return { agent_id, name: key, tier: "basic", role: null, wallet: { payout_method: null } };
		},
		"POST /oauth/device_authorization": () => ({ device_code: "d", user_code: "BCDF-GHJK", verification_uri: "http://x/", interval: 0.01 }),
		"POST /oauth/token": () => {
			made += 1;
			return { access_token: `access-${made}`, refresh_token: `refresh-${made}`, expires_in: 3600 };
		},
		"POST /oauth/revoke": () => ({}),
	});
	env = { XDG_CONFIG_HOME: folder, BOUNTY_URL: platform.url };
});
afterEach(async () => {
	await chmod(dirname(profilePath({ XDG_CONFIG_HOME: folder }, "x")), 0o700).catch(() => undefined);
	await platform.stop();
	await rm(folder, { recursive: true, force: true });
});

const login = (...args: readonly string[]) => runCli(["login", ...args, "--json"], { env });
const keysOf = async () => Object.values((await readConfig(env)).profiles).map(({ apiKey }) => apiKey);

describe("logins at the same time", () => {
	it("are all stored, by key, by registration and by a person's sign-in", async () => {
		const withKey = Array.from({ length: 6 }, (_, index) =>
			runCli(["login", "--with-key", "--profile", `p${index}`], { env, input: `svc_sk_of-p${index}` }),
		);
		const registered = Array.from({ length: 4 }, (_, index) => login("--register", "--profile", `r${index}`));
		const signedIn = Array.from({ length: 3 }, (_, index) => login("--profile", `d${index}`));
		const ends = await Promise.all([...withKey, ...registered, ...signedIn]);
		expect(ends.map(({ code }) => code)).toEqual(ends.map(() => 0));
		const { profiles, current } = await readConfig(env);
		expect(Object.keys(profiles)).toEqual(["d0", "d1", "d2", "p0", "p1", "p2", "p3", "p4", "p5", "r0", "r1", "r2", "r3"]);
		for (const index of [0, 1, 2, 3, 4, 5]) expect(profiles[`p${index}`]?.apiKey).toBe(`svc_sk_of-p${index}`);
		expect(new Set(await keysOf()).size).toBe(13);
		expect(Object.keys(profiles)).toContain(current);
		for (const name of Object.keys(profiles)) expect((await runCli(["whoami", "--profile", name], { env })).code).toBe(0);
	});

	it("under one name keep the keys of all agents, and say where", async () => {
		const ends = await Promise.all(Array.from({ length: 4 }, () => login("--register")));
		expect(ends.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
		expect(Object.keys((await readConfig(env)).profiles)).toEqual(["default", "default-2", "default-3", "default-4"]);
		expect((await keysOf()).toSorted()).toEqual(["svc_sk_1", "svc_sk_2", "svc_sk_3", "svc_sk_4"]);
		expect(ends.map(({ stderr }) => stderr).join("")).toContain("which is now profile default-4");
		expect((await readdir(dirname(profilePath(env, "x")))).filter((name) => !/^default(-\d)?\.json$/.test(name))).toEqual([]);
	});

	it("of one agent replace each other", async () => {
		await runCli(["login", "--with-key"], { env, input: "svc_sk_7" });
		await storeProfile(env, "default", { url: platform.url, apiKey: "svc_sk_new", agentId: "agent-7" });
		expect(await keysOf()).toEqual(["svc_sk_new"]);
	});
});

describe("a lock", () => {
	const profile = { url: "https://a.example", apiKey: "k", agentId: "a" };

	it.each([
		["of a process that has died", `${hostname()} 999999999 x`, 0],
		["without a name, after a minute", "", 61_000],
		["of another machine, after a minute", "elsewhere 1 x", 61_000],
	])("%s holds no one up", async (_, owner, ageMs) => {
		await prepareProfiles(env);
		const path = `${profilePath(env, "default")}.lock`;
		await writeFile(path, owner);
		const then = new Date(Date.now() - ageMs);
		await utimes(path, then, then);
		await Promise.all(["a", "b", "c"].map((apiKey) => storeProfile(env, "default", { ...profile, apiKey, agentId: apiKey })));
		expect((await keysOf()).toSorted()).toEqual(["a", "b", "c"]);
		expect(await readdir(dirname(path))).not.toContain("default.json.lock");
	});

	it("lets one command at a time renew a sign-in, which a login does not overwrite", async () => {
		const now = Date.now();
		const due = { url: platform.url, apiKey: "old", agentId: "person-1", refreshToken: "r", expiresAt: now };
		await storeProfile(env, "default", due);
		const { signal } = new AbortController();
		const renewed = await Promise.all(Array.from({ length: 5 }, () => renewProfile(env, "default", { signal, now: () => now })));
		expect(new Set(renewed.map((each) => each?.apiKey))).toEqual(new Set(["access-1"]));
		expect(platform.calls().filter((call) => call.endsWith("/oauth/token"))).toHaveLength(1);
	});
});

describe("a command that outlives its access token", () => {
	it("renews the sign-in for its next requests, through an outage", async () => {
		const stop = new AbortController();
		let renewals = 0;
		const used: (string | undefined)[] = [];
		await platform.stop();
		platform = await startScripted({
			"GET /api/v1/webhooks/w/deliveries": async ({ headers, response }) => {
				used.push(headers.authorization);
				if (headers.authorization === "Bearer old" && used.length > 1) {
					stop.abort(new Error("stop"));
					return refuse(response, { status: 401, code: "UNAUTHORIZED" });
				}
				if (headers.authorization !== "Bearer old") stop.abort(new Error("stop"));
				// The token expires after the first request.
				if (used.length === 1) await storeProfile(env, "default", { ...signIn, expiresAt: 0 });
				return { data: [], pagination: { has_more: false, next_cursor: null } };
			},
			"POST /oauth/token": ({ response }) => {
				renewals += 1;
				if (renewals === 1) return proxyError(response, 503);
				return { access_token: "new", refresh_token: "refresh-new", expires_in: 3600 };
			},
		});
		const signIn = { url: platform.url, apiKey: "old", agentId: "person-1", refreshToken: "r", expiresAt: Date.now() + 3_600_000 };
		await storeProfile(env, "default", signIn);
		const args = ["webhooks", "listen", "--webhook", "w", "--forward", `${platform.url}/hook`];
		await runCli(args, { env: { XDG_CONFIG_HOME: folder }, signal: stop.signal });
		expect(used).toEqual(["Bearer old", "Bearer new"]);
		expect(renewals).toBe(2);
	});
});

describe("a file", () => {
	it("is written at mode 0600 in one step, also over one that others can read", async () => {
		const { path } = await storeProfile(env, "default", { url: "https://a.example", apiKey: "k" });
		await chmod(path, 0o644);
		await storeProfile(env, "default", { url: "https://a.example", apiKey: "k", agentId: "a" });
		expect((await stat(path)).mode & 0o777).toBe(0o600);
		expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
		expect((await stat(dirname(dirname(path)))).mode & 0o777).toBe(0o700);
		expect(await readdir(dirname(path))).toEqual(["default.json"]);
	});

	it("is at XDG's path, and in .config without it", () => {
		expect(profilePath({ XDG_CONFIG_HOME: "/x", HOME: "/h" }, "p")).toBe("/x/bounty/profiles/p.json");
		expect(profilePath({ XDG_CONFIG_HOME: "relative", HOME: "/h" }, "p")).toBe("/h/.config/bounty/profiles/p.json");
	});

	it("with a byte order mark is read", async () => {
		const { path } = await storeProfile(env, "default", { url: platform.url, apiKey: "svc_sk_1" });
		await writeFile(path, `\ufeff${await readFile(path, "utf8")}`);
		await writeFile(join(folder, "bounty", "current"), "\ufeffdefault\r\n");
		expect((await runCli(["whoami"], { env: { XDG_CONFIG_HOME: folder } })).code).toBe(0);
	});

	it("may name as the current profile one that is gone", async () => {
		await storeProfile(env, "only", { url: platform.url, apiKey: "svc_sk_1" });
		for (const current of ["", "gone", "../x"]) {
			await writeFile(join(folder, "bounty", "current"), current);
			expect((await readConfig(env)).current).toBe("only");
		}
		await storeProfile(env, "other", { url: platform.url, apiKey: "svc_sk_2" });
		await writeFile(join(folder, "bounty", "current"), "");
		const none = await runCli(["whoami"], { env: { XDG_CONFIG_HOME: folder } });
		expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining("bounty profiles use") });
	});
});

describe("a file that cannot be read", () => {
	const broken = ["", '{"version":1,"url":"https://a.exa', "\ufeff", "[]", '{"url":1}', "\u0000\u0000"];

	beforeEach(async () => {
		await storeProfile(env, "work", { url: platform.url, apiKey: "svc_sk_9", agentId: "agent-9" });
		await storeProfile(env, "default", { url: platform.url, apiKey: "svc_sk_8", agentId: "agent-8" });
	});

	it.each(broken)("stops neither a command with URL and key, nor other profiles, nor a login, which keeps it: %j", async (text) => {
		await writeFile(profilePath(env, "default"), text);
		const given = { XDG_CONFIG_HOME: folder, BOUNTY_URL: platform.url, BOUNTY_API_KEY: "svc_sk_1" };
		expect(await runCli(["whoami"], { env: given })).toMatchObject({ code: 0, stderr: "" });
		expect((await runCli(["whoami", "--profile", "work"], { env })).code).toBe(0);
		const without = await runCli(["whoami"], { env: { XDG_CONFIG_HOME: folder } });
		expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining("default.json is not a profile") });
		expect(await runCli(["whoami", "--profile", "default"], { env })).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("bounty login --profile default"),
		});
		expect((await runCli(["profiles"], { env })).stderr).toContain("default.json is not a profile");
		const again = await login("--register");
		expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining("could not be read. It is") });
		const moved = (await readdir(dirname(profilePath(env, "x")))).find((name) => name.startsWith("default.json.broken-"));
		expect(await readFile(join(dirname(profilePath(env, "x")), moved ?? ""), "utf8")).toBe(text);
		expect((await keysOf()).toSorted()).toEqual(["svc_sk_1", "svc_sk_9"]);
	});

	it("may be a folder, and the folder of the profiles a file", async () => {
		const given = { XDG_CONFIG_HOME: folder, BOUNTY_URL: platform.url, BOUNTY_API_KEY: "svc_sk_1" };
		await rm(profilePath(env, "default"));
		await mkdir(profilePath(env, "default"));
		expect((await runCli(["whoami"], { env: given })).code).toBe(0);
		expect((await login("--register")).code).toBe(0);
		await rm(join(folder, "bounty"), { recursive: true });
		await writeFile(join(folder, "bounty"), "");
		expect((await runCli(["whoami"], { env: given })).code).toBe(0);
		made = 0;
		expect(await login("--register")).toMatchObject({ code: 1, stderr: expect.stringContaining("A login cannot be stored") });
		expect(made, "no agent is registered whose key cannot be stored").toBe(0);
	});
});

describe("a key that cannot be stored", () => {
	/** The folder turns into a file after the login has looked at it. */
	const breakFolder = async () => {
		await rm(join(folder, "bounty"), { recursive: true });
		await writeFile(join(folder, "bounty"), "");
	};

	it("is printed", async () => {
		const failing = await startScripted({
			"POST /api/v1/agent/register-anonymous": async () => {
				await breakFolder();
				return { agent_id: "agent-1", api_key: "svc_sk_lost", tier: "anonymous", display_name: "A" };
			},
		});
		const args = ["login", "--register", "--url", failing.url];
		try {
			const json = await runCli([...args, "--json"], { env });
			expect(json.code).toBe(1);
			expect(JSON.parse(json.stdout)).toEqual({ url: failing.url, agent_id: "agent-1", api_key: "svc_sk_lost" });
			expect(JSON.parse(json.stderr).error.message).toContain("could not be stored");
			await rm(join(folder, "bounty"));
			expect((await runCli(args, { env })).stdout).toContain("svc_sk_lost");
		} finally {
			await failing.stop();
		}
	});

	it("is stored before the platform is asked again", async () => {
		const failing = await startScripted({
			"POST /api/v1/agent/register-anonymous": () => ({ agent_id: "agent-1", api_key: "svc_sk_new", tier: "anonymous", display_name: "A" }),
		});
		try {
			expect((await runCli(["login", "--register", "--url", failing.url], { env })).code).toBe(4);
			expect(await keysOf()).toEqual(["svc_sk_new"]);
		} finally {
			await failing.stop();
		}
	});

	it("of a person's sign-in is given back", async () => {
		const failing = await startScripted({
			"POST /oauth/device_authorization": () => ({
				device_code: "d",
				user_code: "BCDF-GHJK",
				verification_uri: "http://x/",
				interval: 0.01,
			}),
			"POST /oauth/token": async () => {
				await breakFolder();
				return { access_token: "a", refresh_token: "refresh", expires_in: 3600 };
			},
			"GET /api/v1/agent/whoami": () => ({ agent_id: "a", name: "", tier: "basic", role: null, wallet: { payout_method: null } }),
			"POST /oauth/revoke": () => ({}),
		});
		try {
			const end = await runCli(["login", "--url", failing.url], { env });
			expect(end).toMatchObject({ code: 1, stdout: "" });
			expect(failing.received.at(-1)?.body.toString()).toContain("token=refresh");
		} finally {
			await failing.stop();
		}
	});
});

describe("a sign-in whose platform is out of reach", () => {
	it("has not ended, and the exit code of a command says so", async () => {
		const broken = await startScripted({ "POST /oauth/token": (turn) => (turn.count === 0 ? proxyError(turn.response) : hangUp(turn)) });
		try {
			await storeProfile(env, "default", { url: broken.url, apiKey: "old", agentId: "person-1", refreshToken: "r", expiresAt: 0 });
			for (let attempt = 0; attempt < 2; attempt += 1) {
				const end = await runCli(["whoami"], { env: { XDG_CONFIG_HOME: folder } });
				expect(end.code).toBe(9);
				expect(end.stderr).not.toContain("has ended");
			}
		} finally {
			await broken.stop();
		}
	});

	it("waits on for the person, and slows down", async () => {
		const waits: number[] = [];
		const shaky = await startScripted({
			"POST /oauth/device_authorization": () => ({ device_code: "d", user_code: "B", verification_uri: "http://x/", interval: 5 }),
			"POST /oauth/token": (turn) => (turn.count === 0 ? hangUp(turn) : { access_token: "a", refresh_token: "r", expires_in: 60 }),
		});
		const { signal } = new AbortController();
		const wait = async (ms: number) => void waits.push(ms);
		try {
			const tokens = await signInByDevice(shaky.url, { signal, now: () => 0, wait, show: () => undefined });
			expect({ apiKey: tokens.apiKey, waits }).toEqual({ apiKey: "a", waits: [5_000, 30_000] });
		} finally {
			await shaky.stop();
		}
	});
});

it("a sign-in is renewed before the MCP server submits a folder, even if no other message came in the meantime", async () => {
	const brief = await startScripted({
		"POST /oauth/token": ({ count }) => ({
			access_token: `access-${count}`,
			refresh_token: `refresh-${count}`,
			expires_in: count === 0 ? 1 : 3600,
		}),
	});
	const work = join(folder, "work");
	await mkdir(work);
	await writeFile(join(work, "SUBMISSION.md"), "# Done");
	const to = { XDG_CONFIG_HOME: folder, BOUNTY_URL: brief.url };
	await storeProfile(to, "default", { url: brief.url, apiKey: "old", refreshToken: "r", expiresAt: 0 });
	const params = { name: "submit_folder", arguments: { task_id: "t", path: work } };
	try {
		const input = `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`;
		expect((await runCli(["mcp"], { env: to, input })).code).toBe(0);
		const sent = brief.received.filter(({ call }) => !call.includes("/oauth/")).map(({ headers }) => headers.authorization);
		// The command renews the sign-in when it starts, and again for the call.
		expect(new Set(sent)).toEqual(new Set(["Bearer access-1"]));
	} finally {
		await brief.stop();
	}
});

it("a name that differs only in case is refused, and so is one that cannot name a file", async () => {
	await login("--register", "--profile", "work");
	for (const name of ["Work", "a/b", "..\\x", "x".repeat(65), ""]) {
		const { code } = await login("--register", "--profile", name);
		expect({ name, code }).toEqual({ name, code: 2 });
	}
	expect(made).toBe(1);
});
