// A setting that is mistyped while the platform runs has the effect that the page of settings names, and no other.
import { describe, expect, it, vi } from "vitest";
import { type Config, parseConfig, readConfig } from "../../src/config/env.ts";
import { listSettings } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";

vi.spyOn(console, "error").mockImplementation(() => {});

const SET = {
	ENVIRONMENT: "production",
	SECRETS_KEY: btoa("x".repeat(32)),
	PUBLIC_URL: "https://api.example",
	JUDGE: "openai",
	JUDGE_MODELS: "openai:model",
	JUDGE_API_KEY: "openai=key",
	JUDGE_PRICES: "openai:model=1/2",
	JUDGE_MAX_USD_PER_DAY: "10",
	GRADER_URL: "https://grader.example",
	GRADER_TOKEN: "token",
	SIGN_IN_GITHUB_CLIENT_ID: "id",
	SIGN_IN_GITHUB_CLIENT_SECRET: "secret",
	SIGN_IN_OIDC_ISSUER: "https://issuer.example",
	SIGN_IN_OIDC_CLIENT_ID: "id",
	R2_S3_URL: "https://account.r2.cloudflarestorage.com/bucket",
	R2_S3_ACCESS_KEY_ID: "id",
	R2_S3_SECRET_ACCESS_KEY: "secret",
};

const listed = listSettings(settings);

/** Most settings refuse a sentence. Those that take any text refuse an empty one. */
function invalidValueOf(variable: string): string {
	const value = ["not:a=value, at all", ""].find((text) => {
		try {
			parseConfig({ ...SET, [variable]: text });
			return false;
		} catch {
			return true;
		}
	});
	if (value === undefined) throw new Error(`${variable} takes every value.`);
	return value;
}

/** The setting would switch this on. */
const PARTS: readonly (readonly [RegExp, (config: Config) => unknown])[] = [
	[/^SECRETS_KEY_PREVIOUS$/, ({ keys }) => keys.previous],
	[/^ALERT_WEBHOOK$/, ({ alertReceiver }) => alertReceiver],
	[/^SECURITY_CONTACT$/, ({ securityContact }) => securityContact],
	[/^R2_S3_/, ({ directTransfers }) => directTransfers],
	[/^SIGN_IN_GITHUB_/, ({ signIn }) => signIn.github],
	[/^SIGN_IN_OIDC_/, ({ signIn }) => signIn.oidc],
	[/^JUDGE$|^JUDGE_(?!MAX_USD|PAYER|NOISE|CHECK$)/, ({ judge }) => judge],
	[/^GRADER_/, ({ grader }) => grader],
];

const EMPTY: readonly (readonly [RegExp, (config: Config) => unknown, unknown])[] = [
	[/^ADMIN_TOKEN_SHA256$/, ({ adminTokens }) => adminTokens, []],
	[/^WALLET_RPC_URLS$/, ({ walletRpcUrls }) => Object.values(walletRpcUrls), [null, null, null, null]],
];

function expectSwitchedOff(variable: string, config: Config): void {
	for (const [names, read] of PARTS) if (names.test(variable)) expect(read(config)).toBeNull();
	for (const [names, read, expected] of EMPTY) if (names.test(variable)) expect(read(config)).toEqual(expected);
}

const stopping = listed.filter(({ ifInvalid }) => ifInvalid === "stops").map(({ variable }) => variable);
const others = listed.filter(({ ifInvalid }) => ifInvalid !== "stops");

describe("an invalid value of", () => {
	it.each(stopping)("%s stops the platform", (variable) => {
		expect(() => readConfig({ ...SET, [variable]: invalidValueOf(variable) })).toThrow(`${variable}: `);
	});

	it.each(others.map((setting) => [setting.variable, setting] as const))("%s has its effect", (variable, { ifInvalid }) => {
		const value = invalidValueOf(variable);
		const env = { ...SET, [variable]: value };
		const config = readConfig(env);
		expect(config.invalidSettings).toEqual([
			{ name: variable, problem: expect.any(String), closes: typeof ifInvalid === "string" ? null : ifInvalid.closes },
		]);
		if (value !== "") expect(JSON.stringify(config.invalidSettings)).not.toContain(value);
		const { [variable as keyof typeof SET]: _, ...without } = SET;
		if (ifInvalid === "default") expect({ ...config, invalidSettings: [] }).toEqual(parseConfig(without));
		expectSwitchedOff(variable, config);
		expect(config.keys.current).toBe(SET.SECRETS_KEY);
	});

	it("what bounds or places something closes it, and only the key and the URL stop the platform", () => {
		const closing = (name: string) =>
			listed.flatMap(({ variable, ifInvalid }) => (typeof ifInvalid === "object" && ifInvalid.closes === name ? [variable] : []));
		expect(closing("judging")).toEqual(
			expect.arrayContaining(["JUDGE_PRICES", "JUDGE_MAX_USD_PER_TASK", "JUDGE_MAX_USD_PER_DAY", "JUDGE_PAYER_SHARE", "JUDGE_MODELS"]),
		);
		expect(closing("writes")).toEqual(expect.arrayContaining(["JURISDICTION", "MAINTENANCE", "FEE_BPS"]));
		expect(closing("registration")).toEqual(["REGISTRATION_CHALLENGE"]);
		expect(stopping).toEqual(["SECRETS_KEY", "PUBLIC_URL"]);
	});

	it("a URL is plain http outside development, also with its scheme in upper case", () => {
		for (const variable of [
			"ALERT_WEBHOOK",
			"HEARTBEAT_URL",
			"GRADER_URL",
			"JUDGE_BASE_URL",
			"SIGN_IN_GITHUB_URL",
			"SIGN_IN_OIDC_ISSUER",
		]) {
			for (const url of ["http://own.example/1", "HTTP://own.example/1"]) {
				expect(() => parseConfig({ ...SET, [variable]: url }), url).toThrow(`${variable}: must be https`);
			}
			expect(() => parseConfig({ ...SET, [variable]: "HTTPS://own.example/1" })).not.toThrow();
		}
	});

	it("two settings at once are both named", () => {
		const { invalidSettings, judge } = readConfig({ ...SET, ALERT_WEBHOOK: "hooks.example/1", JUDGE_PRICES: "dear" });
		expect(invalidSettings.map(({ name, closes }) => [name, closes]).toSorted()).toEqual([
			["ALERT_WEBHOOK", null],
			["JUDGE_PRICES", "judging"],
		]);
		expect(judge).toBeNull();
	});

	it("the judge never means the offline one", () => {
		expect(readConfig({ ...SET, JUDGE: "offline" })).toMatchObject({
			judge: null,
			invalidSettings: [{ name: "JUDGE", closes: "judging" }],
		});
	});

	it("is logged once, without its value", () => {
		const log = vi.mocked(console.error);
		log.mockClear();
		const env = { ...SET, ALERT_WEBHOOK: "hooks.example/secret" };
		readConfig(env);
		readConfig(env);
		const lines = log.mock.calls.map(([line]) => String(line)).filter((line) => line.includes("setting_invalid"));
		expect(lines).toHaveLength(1);
		expect(lines[0]).toContain("ALERT_WEBHOOK");
		expect(lines[0]).not.toContain("secret");
	});
});
