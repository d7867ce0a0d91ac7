import { z } from "zod";
import { readWalletRpcUrls, type WalletRpcUrls, walletVariables } from "./features/wallet/settings.ts";
import { fromBase64 } from "./platform/crypto.ts";
import { findJudgeFaults, type JudgeSettings, judgeVariables, readJudgeSettings } from "./platform/judge-settings.ts";

const isKeyMaterial = (text: string): boolean => {
	try {
		return fromBase64(text).length >= 32;
	} catch {
		return false;
	}
};

/** The variables and secrets of a deployment. docs/deploying.md tells an operator about each. */
const configSchema = z
	.object({
		ENVIRONMENT: z.enum(["development", "production"]),
		SECRETS_KEY: z.string().refine(isKeyMaterial, "must be base64 of at least 32 random bytes (openssl rand -base64 32)"),
		...judgeVariables.shape,
		...walletVariables.shape,
		PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
		ALLOW_INSECURE_TARGETS: z.enum(["true", "false"]).default("false"),
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.JUDGE !== "offline", {
		path: ["JUDGE"],
		message: "the offline judge is for development and tests only",
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.JUDGE_BASE_URL.startsWith("https:"), {
		path: ["JUDGE_BASE_URL"],
		message: "must be https outside development, for the key travels with every call",
	})
	.superRefine((config, context) => {
		for (const { variable, message } of findJudgeFaults(config)) context.addIssue({ code: "custom", path: [variable], message });
	})
	.refine((config) => config.ENVIRONMENT === "development" || config.ALLOW_INSECURE_TARGETS === "false", {
		path: ["ALLOW_INSECURE_TARGETS"],
		message: "insecure targets are for development only",
	});

export interface Config {
	readonly environment: "development" | "production";
	/** Base64 root key; every use derives a key of its own from it. */
	readonly secretsKey: string;
	/** Null where none is configured: then tasks that need one are refused. */
	readonly judge: JudgeSettings | null;
	/** Nodes that can ask contract wallets. */
	readonly walletRpcUrls: WalletRpcUrls;
	/** Origin under which the API is reached, when it is not the one of the request. */
	readonly publicUrl: string | null;
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
		secretsKey: parsed.data.SECRETS_KEY,
		judge: readJudgeSettings(parsed.data),
		walletRpcUrls: readWalletRpcUrls(parsed.data),
		publicUrl: parsed.data.PUBLIC_URL?.replace(/\/+$/, "") ?? null,
		allowInsecureTargets: parsed.data.ALLOW_INSECURE_TARGETS === "true",
	};
	parsedConfigs.set(env, config);
	return config;
}
