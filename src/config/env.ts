import * as z from "zod";
import type { PayoutChain } from "../domain/chains.ts";
import type { NetworkCaps } from "../domain/network-caps.ts";
import type { SpendSettings } from "../domain/spend.ts";
import { fromBase64 } from "../platform/crypto.ts";
import { type DirectTransferSettings, directTransferVariables, readDirectTransferSettings } from "../platform/direct-transfers.ts";
import type { Keyring } from "../platform/keyring.ts";
import { findJudgeFaults, type JudgeSettings, judgeVariables, readJudgeSettings } from "./judge-settings.ts";
import { type ChallengeSettings, openRegistrationVariables, readChallenge, readNetworkCaps } from "./open-registration.ts";
import { readSpendSettings, spendVariables } from "./spend-settings.ts";

const isKeyMaterial = (text: string): boolean => {
	try {
		return fromBase64(text).length >= 32;
	} catch {
		return false;
	}
};

/** What .dev.vars contains. Everyone who has the source can sign URLs and open sealed secrets with it. */
const DEVELOPMENT_KEY = "development-only-key-not-secret!";

/** Compares the decoded bytes: one key has more than one spelling in base64. */
function isDevelopmentKey(text: string): boolean {
	return isKeyMaterial(text) && new TextDecoder().decode(fromBase64(text)) === DEVELOPMENT_KEY;
}

const SECOND_MS = 1000;
const DEFAULT_LOG_SAMPLE = 10;
const DEFAULT_MAX_QUEUE_AGE_SECONDS = 900;
const DEFAULT_PARALLEL_JOBS = 8;

function isOrigin(text: string): boolean {
	if (!URL.canParse(text)) return false;
	const { origin, href } = new URL(text);
	return href === `${origin}/`;
}

function isTokenIssuer({
	ENVIRONMENT,
	SIGN_IN_OIDC_ISSUER: issuer,
}: {
	ENVIRONMENT: string;
	SIGN_IN_OIDC_ISSUER?: string | undefined;
}): boolean {
	return issuer !== undefined && (ENVIRONMENT === "development" || issuer.startsWith("https:"));
}

function readMcpTokens(variables: {
	MCP_OAUTH: "true" | "false" | "clients-too";
	MCP_OAUTH_SCOPE?: string | undefined;
	SIGN_IN_OIDC_ISSUER?: string | undefined;
}): McpTokenSettings | null {
	const { MCP_OAUTH: mode, MCP_OAUTH_SCOPE: scope = null, SIGN_IN_OIDC_ISSUER: issuer } = variables;
	return mode === "false" || issuer === undefined ? null : { issuer, scope, acceptsClients: mode === "clients-too" };
}

const httpUrl = z.url({ protocol: /^https?$/ });
const nodeUrl = httpUrl.optional();

/** The variables and secrets of a deployment. docs/pages/operating/configuration.mdx describes each. */
const configSchema = z
	.object({
		ENVIRONMENT: z.enum(["development", "production"]),
		SECRETS_KEY: z.string().refine(isKeyMaterial, "must be base64 of at least 32 random bytes (openssl rand -base64 32)"),
		SECRETS_KEY_PREVIOUS: z.string().refine(isKeyMaterial, "must be the value that SECRETS_KEY had before its rotation").optional(),
		...judgeVariables.shape,
		...spendVariables.shape,
		...openRegistrationVariables.shape,
		SIGN_IN_GITHUB_CLIENT_ID: z.string().min(1).optional(),
		SIGN_IN_GITHUB_CLIENT_SECRET: z.string().min(1).optional(),
		SIGN_IN_GITHUB_URL: httpUrl.default("https://github.com"),
		SIGN_IN_GITHUB_API_URL: httpUrl.default("https://api.github.com"),
		SIGN_IN_OIDC_ISSUER: httpUrl.optional(),
		SIGN_IN_OIDC_CLIENT_ID: z.string().min(1).optional(),
		SIGN_IN_OIDC_CLIENT_SECRET: z.string().min(1).optional(),
		SIGN_IN_OIDC_NAME: z.string().min(1).max(60).default("OpenID Connect"),
		MCP_OAUTH: z.enum(["true", "false", "clients-too"]).default("false"),
		/** RFC 6749, section 3.3. */
		MCP_OAUTH_SCOPE: z
			.string()
			.regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, "must be one scope: printable ASCII without spaces, quotes and backslashes")
			.optional(),
		WALLET_RPC_URL_BASE: nodeUrl,
		WALLET_RPC_URL_OPTIMISM: nodeUrl,
		WALLET_RPC_URL_ARBITRUM: nodeUrl,
		WALLET_RPC_URL_MAINNET: nodeUrl,
		PAYMENT_CONFIRMATIONS: z
			.string()
			.regex(/^\d{1,4}$/)
			.transform(Number)
			.refine((blocks) => blocks >= 1 && blocks <= 1000, "must be a whole number of blocks from 1 to 1000")
			.default(12),
		...directTransferVariables.shape,
		GRADER_URL: httpUrl.optional(),
		GRADER_TOKEN: z.string().min(1).optional(),
		GRADER_CONTAINER: z.enum(["true", "false"]).default("false"),
		FINAL_ROUND_DEFAULT: z.enum(["true", "false"]).default("false"),
		FINAL_SAMPLES: z
			.string()
			.regex(/^\d{1,2}$/)
			.transform(Number)
			.refine((samples) => samples >= 1 && samples <= 15, "must be a whole number from 1 to 15")
			.default(5),
		PLATFORM_FEE_BPS: z
			.string()
			.regex(/^\d{1,5}$/)
			.transform(Number)
			.refine((bps) => bps <= 10_000, "must be whole basis points from 0 to 10000")
			.default(1000),
		PUBLIC_URL: httpUrl.refine(isOrigin, "must be an origin: scheme and host, without a path, a query or credentials").optional(),
		ADMIN_TOKEN_SHA256: z
			.string()
			.regex(/^[0-9a-f]{64}$/i, "must be the SHA-256 of the admin token, as 64 hex digits")
			.toLowerCase()
			.optional(),
		SECURITY_CONTACT: z.url({ protocol: /^(mailto|https|tel)$/ }).optional(),
		SUBMISSIONS_MAX_QUEUE_AGE_SECONDS: z
			.string()
			.regex(/^\d{1,8}$/)
			.transform(Number)
			.refine((seconds) => seconds >= 30, "must be at least 30")
			.default(DEFAULT_MAX_QUEUE_AGE_SECONDS),
		PARALLEL_JOBS_PER_TASK: z
			.string()
			.regex(/^\d{1,3}$/)
			.transform(Number)
			.refine((jobs) => jobs >= 1, "must be a whole number from 1 to 999")
			.default(DEFAULT_PARALLEL_JOBS),
		LOG_SAMPLE: z
			.string()
			.regex(/^\d{1,5}$/)
			.transform(Number)
			.refine((requests) => requests >= 1, "must be a whole number from 1 to 99999")
			.optional(),
		JUDGE_CHECK: z.enum(["true", "false"]).default("true"),
		ALLOW_INSECURE_TARGETS: z.enum(["true", "false"]).default("false"),
	})
	.refine((config) => config.ENVIRONMENT === "development" || !isDevelopmentKey(config.SECRETS_KEY), {
		path: ["SECRETS_KEY"],
		message: "is the key of .dev.vars, which is public; set one of your own (openssl rand -base64 32)",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.PUBLIC_URL?.startsWith("https:") === true, {
		path: ["PUBLIC_URL"],
		message: "must be set outside development, with https: links, signed URLs, callback URLs and sign-in redirects start with it",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.JUDGE !== "offline", {
		path: ["JUDGE"],
		message: "the offline judge is for development and tests only",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.JUDGE_BASE_URL.startsWith("https:"), {
		path: ["JUDGE_BASE_URL"],
		message: "must be https outside development, because every request contains the key",
	})
	.superRefine((config, context) => {
		for (const { variable, message } of findJudgeFaults(config)) context.addIssue({ code: "custom", path: [variable], message });
	})
	.refine((config) => (config.SIGN_IN_GITHUB_CLIENT_ID === undefined) === (config.SIGN_IN_GITHUB_CLIENT_SECRET === undefined), {
		path: ["SIGN_IN_GITHUB_CLIENT_SECRET"],
		message: "is set together with SIGN_IN_GITHUB_CLIENT_ID, or neither is",
	})
	.refine((config) => (config.SIGN_IN_OIDC_CLIENT_ID === undefined) === (config.SIGN_IN_OIDC_ISSUER === undefined), {
		path: ["SIGN_IN_OIDC_CLIENT_ID"],
		message: "is set together with SIGN_IN_OIDC_ISSUER, or neither is",
	})
	.refine((config) => config.MCP_OAUTH === "false" || isTokenIssuer(config), {
		path: ["MCP_OAUTH"],
		message: "needs SIGN_IN_OIDC_ISSUER, with https outside development, because its keys decide which person an access token belongs to",
	})
	.refine((config) => (config.GRADER_URL === undefined) === (config.GRADER_TOKEN === undefined), {
		path: ["GRADER_TOKEN"],
		message: "is set together with GRADER_URL, or neither is",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.GRADER_URL?.startsWith("http:") !== true, {
		path: ["GRADER_URL"],
		message: "must be https outside development, because every request contains the token",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.ALLOW_INSECURE_TARGETS === "false", {
		path: ["ALLOW_INSECURE_TARGETS"],
		message: "insecure targets are for development only",
	});

type Variables = z.output<typeof configSchema>;

/** A client at an OAuth service. */
export interface OAuthClient {
	readonly clientId: string;
	/** Null for a public client, which only PKCE protects. */
	readonly clientSecret: string | null;
}

/** How humans sign in; null where a way is not configured. */
export interface SignInSettings {
	readonly github: (OAuthClient & { readonly url: string; readonly apiUrl: string }) | null;
	readonly oidc: (OAuthClient & { readonly issuer: string; readonly name: string }) | null;
}

/** Where images run: in a grader at a URL, or in this deployment's containers. */
export type GraderSettings = { readonly kind: "url"; readonly url: string; readonly token: string } | { readonly kind: "container" };

/** The OAuth access tokens that the MCP server accepts. */
export interface McpTokenSettings {
	readonly issuer: string;
	/** A token must carry it; null when any token for the server's audience will do. */
	readonly scope: string | null;
	/** True when programs that signed in as themselves count as people. */
	readonly acceptsClients: boolean;
}

export interface Config {
	readonly environment: "development" | "production";
	/** The root key, from which every use derives its own, and the one before it while a rotation is under way. */
	readonly keys: Keyring;
	/** Null where none is configured: then tasks that need one are refused. */
	readonly judge: JudgeSettings | null;
	/** What judging may cost. */
	readonly spend: SpendSettings;
	/** Null where none is configured: then submissions to tasks that need one end as `evaluation_failed`. */
	readonly grader: GraderSettings | null;
	/** Whether publishing a task has the judge checked with submissions that earn nothing. */
	readonly judgeCheck: boolean;
	readonly signIn: SignInSettings;
	/** Which OAuth access tokens the MCP server accepts; null where it accepts only keys. */
	readonly mcpTokens: McpTokenSettings | null;
	/** JSON-RPC URL of a node of each chain, to look up contract wallets and payments; null where there is none. */
	readonly walletRpcUrls: Readonly<Record<PayoutChain, string | null>>;
	/** How many blocks must have a transaction before it counts as a payment, its own included. */
	readonly paymentConfirmations: number;
	/** Null where uploads go through the Worker. */
	readonly directTransfers: DirectTransferSettings | null;
	/** Whether tasks that a model judges get a final round unless their poster says otherwise. */
	readonly finalRoundDefault: boolean;
	/** Fresh samples of each criterion in a final round. */
	readonly finalSamples: number;
	/** The platform's share of a deal in basis points: 1000 is 10 %. */
	readonly platformFeeBps: number;
	/** Origin of every absolute URL. Null only in development, where the origin of the request serves. */
	readonly publicUrl: string | null;
	/** SHA-256 of the token that opens the endpoints for operators of the deployment, in hex; null where they are closed. */
	readonly adminTokenSha256: string | null;
	/** What anonymous agents of one network may use in a day. */
	readonly networkCaps: NetworkCaps;
	/** What an anonymous registration has to prove; null for nothing. */
	readonly registrationChallenge: ChallengeSettings | null;
	/** Where to report vulnerabilities, as a URI; null where none is configured. */
	readonly securityContact: string | null;
	/** New submissions are refused while an evaluation has waited for longer, in milliseconds. */
	readonly maxQueueAgeMs: number;
	/** Jobs of one task that consumers may work on at the same time. */
	readonly parallelJobsPerTask: number;
	/** `10` logs one in ten reads that succeed. Writes, errors and slow requests always have a line. */
	readonly logSample: number;
	/** Whether webhooks and callbacks may go to http and loopback addresses. */
	readonly allowInsecureTargets: boolean;
}

const parsedConfigs = new WeakMap<object, Config>();

/**
 * The deployment's configuration, parsed once for each environment object.
 *
 * @throws Error that names every variable which is missing or wrong.
 */
export function parseConfig(env: Env): Config {
	const known = parsedConfigs.get(env);
	if (known !== undefined) return known;
	const parsed = configSchema.safeParse(env);
	if (!parsed.success) {
		const faults = parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
		throw new Error(`This deployment is not configured correctly. ${faults.join("; ")}. See docs/deploying.md.`);
	}
	const config: Config = {
		environment: parsed.data.ENVIRONMENT,
		keys: { current: parsed.data.SECRETS_KEY, previous: parsed.data.SECRETS_KEY_PREVIOUS ?? null },
		judge: readJudgeSettings(parsed.data),
		spend: readSpendSettings(parsed.data),
		grader: readGrader(parsed.data),
		judgeCheck: parsed.data.JUDGE_CHECK === "true",
		signIn: { github: readGithub(parsed.data), oidc: readOidc(parsed.data) },
		mcpTokens: readMcpTokens(parsed.data),
		walletRpcUrls: {
			base: parsed.data.WALLET_RPC_URL_BASE ?? null,
			optimism: parsed.data.WALLET_RPC_URL_OPTIMISM ?? null,
			arbitrum: parsed.data.WALLET_RPC_URL_ARBITRUM ?? null,
			mainnet: parsed.data.WALLET_RPC_URL_MAINNET ?? null,
		},
		paymentConfirmations: parsed.data.PAYMENT_CONFIRMATIONS,
		directTransfers: readDirectTransferSettings(parsed.data),
		finalRoundDefault: parsed.data.FINAL_ROUND_DEFAULT === "true",
		finalSamples: parsed.data.FINAL_SAMPLES,
		platformFeeBps: parsed.data.PLATFORM_FEE_BPS,
		publicUrl: parsed.data.PUBLIC_URL === undefined ? null : new URL(parsed.data.PUBLIC_URL).origin,
		adminTokenSha256: parsed.data.ADMIN_TOKEN_SHA256 ?? null,
		networkCaps: readNetworkCaps(parsed.data, parsed.data.ENVIRONMENT),
		registrationChallenge: readChallenge(parsed.data),
		securityContact: parsed.data.SECURITY_CONTACT ?? null,
		parallelJobsPerTask: parsed.data.PARALLEL_JOBS_PER_TASK,
		maxQueueAgeMs: parsed.data.SUBMISSIONS_MAX_QUEUE_AGE_SECONDS * SECOND_MS,
		logSample: parsed.data.LOG_SAMPLE ?? (parsed.data.ENVIRONMENT === "development" ? 1 : DEFAULT_LOG_SAMPLE),
		allowInsecureTargets: parsed.data.ALLOW_INSECURE_TARGETS === "true",
	};
	parsedConfigs.set(env, config);
	return config;
}

function readGithub(variables: Variables): SignInSettings["github"] {
	const { SIGN_IN_GITHUB_CLIENT_ID: clientId, SIGN_IN_GITHUB_CLIENT_SECRET: clientSecret } = variables;
	if (clientId === undefined || clientSecret === undefined) return null;
	return { clientId, clientSecret, url: trimSlashes(variables.SIGN_IN_GITHUB_URL), apiUrl: trimSlashes(variables.SIGN_IN_GITHUB_API_URL) };
}

function readOidc(variables: Variables): SignInSettings["oidc"] {
	const { SIGN_IN_OIDC_ISSUER: issuer, SIGN_IN_OIDC_CLIENT_ID: clientId } = variables;
	if (issuer === undefined || clientId === undefined) return null;
	return { clientId, clientSecret: variables.SIGN_IN_OIDC_CLIENT_SECRET ?? null, issuer, name: variables.SIGN_IN_OIDC_NAME };
}

/** A URL takes precedence over the container, so local development needs no Docker. */
function readGrader({ GRADER_URL: url, GRADER_TOKEN: token, GRADER_CONTAINER }: Variables): GraderSettings | null {
	if (url !== undefined && token !== undefined) return { kind: "url", url: trimSlashes(url), token };
	return GRADER_CONTAINER === "true" ? { kind: "container" } : null;
}

function trimSlashes(url: string): string {
	return url.replace(/\/+$/, "");
}
