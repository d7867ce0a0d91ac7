// A deployment must have some settings before it serves anything.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { appendFile, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEnv } from "node:util";
import { describe, expect, it } from "vitest";
import { copyProject } from "../../scripts/rehearsal/checkout.ts";
import { hasDevVars, makeDevVars } from "../../scripts/setup/dev-vars.mjs";
import { listOwnValues } from "../../scripts/setup/own-values.ts";
import { parseConfig } from "../../src/config/env.ts";

const PRODUCTION = { ENVIRONMENT: "production", SECRETS_KEY: btoa("x".repeat(32)), PUBLIC_URL: "https://api.example" };
const pathOf = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url).href);
const DEVELOPMENT = parseEnv(readFileSync(pathOf("scripts/setup/development.vars"), "utf8"));

/** Passes variables as an environment, because the parser checks every variable anyway. */
const configOf = (variables: Readonly<Record<string, string | undefined>>) => parseConfig(variables as unknown as Env);

describe("PUBLIC_URL", () => {
	it("is required in production, with https", () => {
		expect(configOf(PRODUCTION).publicUrl).toBe("https://api.example");
		for (const PUBLIC_URL of [undefined, "http://api.example"]) {
			expect(() => configOf({ ...PRODUCTION, PUBLIC_URL })).toThrow(/PUBLIC_URL: must be an https URL outside development/);
		}
		expect(configOf(DEVELOPMENT).publicUrl).toBeNull();
		expect(configOf({ ...DEVELOPMENT, PUBLIC_URL: "http://127.0.0.1:8787" }).publicUrl).toBe("http://127.0.0.1:8787");
	});

	it("is an origin, in any spelling", () => {
		for (const PUBLIC_URL of ["https://API.example/", "https://api.example:443"]) {
			expect(configOf({ ...PRODUCTION, PUBLIC_URL }).publicUrl).toBe("https://api.example");
		}
		for (const PUBLIC_URL of [
			"https://api.example/v2",
			"https://api.example/?a=1",
			"https://me@api.example",
			"https://api.example/#x",
			"x",
		]) {
			expect(() => configOf({ ...PRODUCTION, PUBLIC_URL })).toThrow(/PUBLIC_URL: /);
		}
	});
});

describe("SECRETS_KEY", () => {
	it("is never the public key of development, in any spelling, outside development", () => {
		const key = DEVELOPMENT["SECRETS_KEY"] ?? "";
		for (const SECRETS_KEY of [key, key.replace(/=+$/, ""), ` ${key} `, btoa(atob(key))]) {
			expect(() => configOf({ ...PRODUCTION, SECRETS_KEY })).toThrow(/SECRETS_KEY: is the key in \.dev\.vars/);
		}
		expect(configOf(DEVELOPMENT).keys).toEqual({ current: key, previous: null });
	});
});

describe("FEE_BPS", () => {
	it("is a whole number of basis points up to 10000, and 1000 by default", () => {
		expect(configOf(PRODUCTION).feeBps).toBe(1000);
		expect(configOf({ ...PRODUCTION, FEE_BPS: "0" }).feeBps).toBe(0);
		for (const FEE_BPS of ["10001", "-1", "1.5", "many", ""]) {
			expect(() => configOf({ ...PRODUCTION, FEE_BPS })).toThrow(/FEE_BPS: must be a whole number from 0 to 10000/);
		}
	});
});

describe("WALLET_RPC_URLS", () => {
	it("names a node for each chain that has one", () => {
		expect(configOf(PRODUCTION).walletRpcUrls).toEqual({ base: null, optimism: null, arbitrum: null, mainnet: null });
		const WALLET_RPC_URLS = "base=https://node.example/?key=a=b, mainnet=https://node.example/eth";
		expect(configOf({ ...PRODUCTION, WALLET_RPC_URLS }).walletRpcUrls).toEqual({
			base: "https://node.example/?key=a=b",
			optimism: null,
			arbitrum: null,
			mainnet: "https://node.example/eth",
		});
		for (const wrong of ["https://node.example", "solana=https://node.example", "base=", "base=ftp://node.example", "base"]) {
			expect(() => configOf({ ...PRODUCTION, WALLET_RPC_URLS: wrong })).toThrow(/WALLET_RPC_URLS: /);
		}
	});
});

describe("R2_S3_URL", () => {
	it("names the bucket after the last slash, and works only together with both keys", () => {
		const keys = { R2_S3_ACCESS_KEY_ID: "id", R2_S3_SECRET_ACCESS_KEY: "key" };
		const transfersOf = (R2_S3_URL: string) => configOf({ ...PRODUCTION, ...keys, R2_S3_URL }).directTransfers;
		const endpoint = "https://0a1b.r2.cloudflarestorage.com";
		const bucket = "bounty-platform";
		expect(transfersOf(`${endpoint}/${bucket}`)).toEqual({ endpoint, bucket, accessKeyId: "id", secretAccessKey: "key" });
		expect(transfersOf(`${endpoint}/${bucket}/`)).toMatchObject({ endpoint, bucket });
		expect(transfersOf(`${endpoint}/s3/${bucket}`)).toMatchObject({ endpoint: `${endpoint}/s3`, bucket });
		expect(configOf({ ...PRODUCTION, R2_S3_URL: `${endpoint}/${bucket}` }).directTransfers).toBeNull();
		for (const wrong of [endpoint, `${endpoint}/`, bucket, `${endpoint}/Two Words`])
			expect(() => transfersOf(wrong), wrong).toThrow(/R2_S3_URL/);
	});
});

describe("SIGN_IN_GITHUB_URL", () => {
	it("is the URL of GitHub's API", () => {
		const app = { SIGN_IN_GITHUB_CLIENT_ID: "id", SIGN_IN_GITHUB_CLIENT_SECRET: "secret" };
		const apiOf = (variables: Readonly<Record<string, string>>) => configOf({ ...PRODUCTION, ...app, ...variables }).signIn.github?.apiUrl;
		expect(apiOf({})).toBe("https://api.github.com");
		expect(apiOf({ SIGN_IN_GITHUB_URL: "https://octo.ghe.com/" })).toBe("https://api.octo.ghe.com");
		expect(apiOf({ SIGN_IN_GITHUB_URL: "https://github.example/" })).toBe("https://github.example/api/v3");
	});
});

describe("insecure targets", () => {
	it("are allowed in development only", () => {
		expect([configOf(DEVELOPMENT).allowInsecureTargets, configOf(PRODUCTION).allowInsecureTargets]).toEqual([true, false]);
	});
});

describe("LOG_SAMPLE", () => {
	it("keeps one in ten lines of successful reads in production and all in development, by default", () => {
		expect(configOf(PRODUCTION).logSample).toBe(10);
		expect(configOf(DEVELOPMENT).logSample).toBe(1);
		expect(configOf({ ...PRODUCTION, LOG_SAMPLE: "100" }).logSample).toBe(100);
		for (const LOG_SAMPLE of ["0", "-1", "1.5", "all", ""]) expect(() => configOf({ ...PRODUCTION, LOG_SAMPLE })).toThrow(/LOG_SAMPLE/);
	});
});

describe("open registration", () => {
	it("is capped per network in production, and unlimited in development, by default", () => {
		expect(configOf(PRODUCTION).networkCaps).toEqual({ agents: 1000, bytes: 20 * 1024 ** 3, publishes: 100 });
		expect(configOf(DEVELOPMENT).networkCaps).toEqual({ agents: null, bytes: null, publishes: null });
		const own = { ANONYMOUS_AGENTS_PER_NETWORK_DAY: "5", ANONYMOUS_BYTES_PER_NETWORK_DAY: "none" };
		expect(configOf({ ...PRODUCTION, ...own }).networkCaps).toEqual({ agents: 5, bytes: null, publishes: 100 });
		for (const value of ["0", "-1", "1.5", "many", ""]) {
			expect(() => configOf({ ...PRODUCTION, ANONYMOUS_AGENTS_PER_NETWORK_DAY: value })).toThrow(/ANONYMOUS_AGENTS_PER_NETWORK_DAY/);
		}
	});

	it("requires a proof of work only if that is configured", () => {
		expect(configOf(PRODUCTION).registrationChallenge).toBeNull();
		const asked = { ...PRODUCTION, REGISTRATION_CHALLENGE: "proof_of_work" };
		expect(configOf(asked).registrationChallenge).toEqual({ bits: 17 });
		expect(configOf({ ...asked, REGISTRATION_CHALLENGE: "proof_of_work:20" }).registrationChallenge).toEqual({ bits: 20 });
		for (const REGISTRATION_CHALLENGE of ["captcha", "proof_of_work:31", "proof_of_work:0", "proof_of_work:", "off:20"]) {
			expect(() => configOf({ ...asked, REGISTRATION_CHALLENGE })).toThrow(/REGISTRATION_CHALLENGE/);
		}
	});
});

describe(".dev.vars", () => {
	it("is not in git, which would publish a developer's key, and has the public values of development", async () => {
		const tracked = spawnSync("git", ["ls-files", ".dev.vars"], { cwd: pathOf("."), encoding: "utf8" });
		expect({ status: tracked.status, stdout: tracked.stdout }).toEqual({ status: 0, stdout: "" });
		const ignored = spawnSync("git", ["check-ignore", "--no-index", ".dev.vars"], { cwd: pathOf("."), encoding: "utf8" });
		expect(ignored.stdout).toBe(".dev.vars\n");
		const [root, other] = [await mkdtemp(join(tmpdir(), "bounty-platform-vars-")), await mkdtemp(join(tmpdir(), "bounty-platform-copy-"))];
		try {
			await mkdir(join(root, "scripts", "setup"), { recursive: true });
			await copyFile(pathOf("scripts/setup/development.vars"), join(root, "scripts", "setup", "development.vars"));
			expect([makeDevVars(root), hasDevVars(root)]).toEqual([true, true]);
			expect(configOf(parseEnv(readFileSync(join(root, ".dev.vars"), "utf8"))).environment).toBe("development");
			await appendFile(join(root, ".dev.vars"), "JUDGE_API_KEY=mine\n");
			expect(makeDevVars(root)).toBe(false);
			expect(readFileSync(join(root, ".dev.vars"), "utf8")).toContain("JUDGE_API_KEY=mine");
			expect(listOwnValues(root)).toEqual(["JUDGE_API_KEY"]);
			// A rehearsal would otherwise ask the developer's model and send alerts.
			const copy = await copyProject(join(other, "copy"), root);
			expect(listOwnValues(copy)).toEqual([]);
		} finally {
			await Promise.all([root, other].map((folder) => rm(folder, { recursive: true })));
		}
	});
});
