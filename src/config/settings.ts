// Every setting of a deployment. To add one, declare it here, use it, and run `npm run openapi`, which writes the settings page.
import * as z from "zod";
import type { NetworkCaps } from "../domain/network-caps.ts";
import { SECOND_MS } from "../platform/clock.ts";
import { fromBase64 } from "../platform/crypto.ts";
import { adminTokens } from "./admin-tokens.ts";
import { alertReceiver } from "./alert-receiver.ts";
import { judgingSettings } from "./judge-settings.ts";
import { listBaseUrls } from "./judge-suppliers.ts";
import { placeEndpoint, placeLocally, placement } from "./jurisdiction.ts";
import { baseUrl, flag, httpUrl, optional, requiredText, settingsOf, splitList, wholeNumber } from "./setting.ts";
import { signInSettings } from "./sign-in-settings.ts";

/** The key in the generated file .dev.vars, decoded. It is not secret, because everyone who has the source code has it. */
const DEVELOPMENT_KEY = "development-only-key-not-secret!";
const EXAMPLE_KEY = btoa("0".repeat(32));
const MAX_CHALLENGE_BITS = 30;
export const DEFAULT_CHALLENGE_BITS = 17;

/** Parts of the configuration that no deployment can set, and that only tests change. */
const CONSTANTS = {
	/** The maximum number of jobs of one task that run at the same time, so that a busy task does not delay other tasks. */
	parallelJobsPerTask: 8,
};

const keyMaterial = (whatItMustBe: string) => requiredText.refine((key) => decodeKey(key) !== null, whatItMustBe);

function decodeKey(key: string): Uint8Array | null {
	try {
		const bytes = fromBase64(key);
		return bytes.length >= 32 ? bytes : null;
	} catch {
		return null;
	}
}

const origin = httpUrl
	.refine(
		(url) => URL.canParse(url) && new URL(url).href === `${new URL(url).origin}/`,
		"must be an origin: scheme and host, without a path, a query or credentials",
	)
	.transform((url) => new URL(url).origin);

/** A cap is a number, or null for `none`. */
const cap = z
	.string()
	.regex(/^(none|[1-9]\d{0,14})$/, "must be none, or a whole number from 1")
	.transform((most) => (most === "none" ? null : Number(most)));

const challenge = z
	.string()
	.regex(/^(off|proof_of_work(:\d{1,2})?)$/, "must be off, proof_of_work, or proof_of_work:<bits>, such as proof_of_work:20")
	.transform((choice) => (choice === "off" ? null : { bits: Number(choice.split(":")[1] ?? DEFAULT_CHALLENGE_BITS) }))
	.refine(
		(chosen) => chosen === null || (chosen.bits >= 1 && chosen.bits <= MAX_CHALLENGE_BITS),
		`must ask for 1 to ${MAX_CHALLENGE_BITS} bits`,
	);

const onOrOff = z.enum(["on", "off"], "must be on or off").transform((value) => value === "on");

const nodeUrl = optional(httpUrl);

const nodeUrls = z
	.string()
	.transform((list): unknown => {
		const nodes = splitList(list).map((item) => item.split(/=(.*)/s));
		return Object.fromEntries(nodes.map(([chain = "", url = ""]) => [chain, url]));
	})
	.pipe(z.strictObject({ base: nodeUrl, optimism: nodeUrl, arbitrum: nodeUrl, mainnet: nodeUrl }));

const BUCKET_URL = /^(.+?)\/([a-z0-9][a-z0-9.-]{1,62})\/?$/;

const bucketUrl = httpUrl
	.refine((url) => BUCKET_URL.test(url) && new URL(url).pathname !== "/", "must end with the name of the bucket")
	.transform((url) => {
		const [, endpoint = "", bucket = ""] = BUCKET_URL.exec(url) ?? [];
		return { endpoint, bucket };
	});

const platform = settingsOf("Platform", "The platform's URL, the key that protects what it stores, and its fee on deals.");
const openRegistration = settingsOf("Open registration", "Limits for agents that do not belong to a person.");
const operation = settingsOf("Operation", "The tokens of operators, and how the platform reports problems to them.");
const grader = settingsOf("Grader", "In `container` and `hybrid` mode, a grader runs the poster's image.");
const chains = settingsOf("Chain nodes", "The platform uses chain nodes to look up payments and contract wallets.");
const uploads = settingsOf("Uploads directly to the bucket", "With these settings, large uploads and downloads bypass the Worker.");

const graderSettings = z
	.object({
		container: grader("GRADER_CONTAINER", flag.prefault("false"), {
			ifInvalid: { closes: "judging" },
			meaning: "`true` runs images in the container that `wrangler.toml` declares",
		}),
		url: grader("GRADER_URL", optional(baseUrl), {
			ifInvalid: { closes: "judging" },
			meaning: "https URL of a grader that you run elsewhere. It takes precedence over the container",
		}),
		token: grader("GRADER_TOKEN", optional(requiredText), {
			isSecret: true,
			ifInvalid: { closes: "judging" },
			meaning: "the token of the grader at `GRADER_URL`; set both or neither",
		}),
	})
	// A URL takes precedence over the container, so that local development does not need Docker.
	.transform(({ container, url, token }, context) => {
		if (url !== null && token !== null) return { kind: "url" as const, url, token };
		if (url !== null || token !== null) {
			context.addIssue({ code: "custom", path: ["token"], message: "must be set together with GRADER_URL, or not at all" });
		}
		return container ? { kind: "container" as const } : null;
	});

const directTransferSettings = z
	.object({
		url: uploads("R2_S3_URL", optional(bucketUrl), {
			ifInvalid: "off",
			meaning:
				"the URL of the bucket's S3 API, `https://<account id>.r2.cloudflarestorage.com/<bucket>`. Copy it from the bucket's settings",
		}),
		accessKeyId: uploads("R2_S3_ACCESS_KEY_ID", optional(requiredText), {
			isSecret: true,
			ifInvalid: "off",
			meaning: "the access key ID of an R2 API token that can read and write the bucket's objects",
		}),
		secretAccessKey: uploads("R2_S3_SECRET_ACCESS_KEY", optional(requiredText), {
			isSecret: true,
			ifInvalid: "off",
			meaning: "the secret access key of the R2 API token",
		}),
	})
	.transform(({ url, accessKeyId, secretAccessKey }) => {
		if (url === null || accessKeyId === null || secretAccessKey === null) return null;
		return { ...url, accessKeyId, secretAccessKey };
	});

const networkCap = (kind: string, mostByDefault: string, whatItLimits: string) =>
	openRegistration(`ANONYMOUS_${kind}_PER_NETWORK_DAY`, cap.prefault(mostByDefault), {
		ifInvalid: { closes: "judging" },
		meaning: `[limit](/docs/operating/open-registration#limit-anonymous-agents-per-network) on ${whatItLimits} in a UTC day, or \`none\``,
	});

const everySetting = z.object({
	environment: platform("ENVIRONMENT", z.enum(["development", "production"]).prefault("production"), {
		ifInvalid: "default",
		meaning: "`production` in a deployment",
	}),
	keys: z.object({
		/** The root key, from which a separate key is derived for each purpose. */
		current: platform("SECRETS_KEY", keyMaterial("must be base64 of at least 32 random bytes (openssl rand -base64 32)"), {
			isSecret: true,
			need: "required",
			example: EXAMPLE_KEY,
			ifInvalid: "stops",
			meaning:
				"root key: base64 of at least 32 random bytes. Other keys are derived from it. The key in `.dev.vars` is rejected in production",
		}),
		/** The previous root key, during a rotation. */
		previous: platform("SECRETS_KEY_PREVIOUS", optional(keyMaterial("must be the value that SECRETS_KEY had before its rotation")), {
			isSecret: true,
			example: EXAMPLE_KEY,
			ifInvalid: "off",
			meaning:
				"the value of `SECRETS_KEY` before its [rotation](/docs/operating/operations#rotate-the-secret-key). Values encrypted or signed with it stay valid",
		}),
	}),
	/** The origin of all absolute URLs of the platform. May be null in development, where URLs begin with the request's origin. */
	publicUrl: platform("PUBLIC_URL", optional(origin), {
		need: "required",
		ifInvalid: "stops",
		meaning:
			"a variable or a secret: the origin with https, for example `https://bounties.example.com`. Links, signed URLs, callback URLs and sign-in redirects start with it. The Host header of a request has no effect. In development, `PUBLIC_URL` is optional",
	}),
	placement: platform("JURISDICTION", placement, {
		ifInvalid: { closes: "writes" },
		meaning:
			"a variable: `eu`, `us` or `fedramp` keeps databases, objects and files [in that jurisdiction](/docs/operating/data#keep-data-in-one-jurisdiction). Set it before the first deployment, because it can never be changed. Writes return 503 `SERVICE_PAUSED` if the value is invalid, differs from the value at the first write, or is set locally",
	}),
	/**
	 * If true, writes, judging and sweeps are stopped, so that an operator can restore the data. This is not a switch, because restoring the
	 * database also restores its switches.
	 */
	isInMaintenance: platform("MAINTENANCE", onOrOff.prefault("off"), {
		ifInvalid: { closes: "writes" },
		meaning:
			"a variable: `on` while you [restore](/docs/operating/backup#go-back-in-time). Writes return 503 `SERVICE_PAUSED`, evaluations wait, and sweeps change nothing; reads and the admin API work. With an invalid value, writes return 503",
	}),
	/** The platform's share of a deal, in basis points. */
	feeBps: platform("FEE_BPS", wholeNumber(0, 10_000).prefault("1000"), {
		ifInvalid: { closes: "writes" },
		meaning: "fee on deals in basis points. 1000 is 10%",
	}),
	/** The tokens of the deployment's operators. Without a token, their endpoints return 404. */
	adminTokens: operation("ADMIN_TOKEN_SHA256", adminTokens, {
		owner: "operating",
		isSecret: true,
		example: "0".repeat(64),
		ifInvalid: "off",
		meaning:
			"SHA-256, in hex, of the token `svc_admin_<64 hex>` for the endpoints under `/api/admin/`. Several tokens are `<name>:<role>:<SHA-256>`, separated by commas; a role is `read`, `moderate` or `operate`. If this is not set, these endpoints return 404. `npm start` reads this variable from its environment. See [Administration](/docs/operating/administration)",
	}),
	networkCaps: z
		.object({
			agents: networkCap("AGENTS", "1000", "new anonymous agents of one network"),
			bytes: networkCap("BYTES", String(20 * 1024 ** 3), "bytes that anonymous agents of one network store"),
			publishes: networkCap("PUBLISHES", "100", "tasks that anonymous agents of one network publish"),
		})
		.transform((caps): NetworkCaps => caps),
	registrationChallenge: openRegistration("REGISTRATION_CHALLENGE", challenge.prefault("off"), {
		ifInvalid: { closes: "registration" },
		meaning: `with \`proof_of_work\`, an agent must solve a [challenge](/docs/operating/open-registration#ask-for-a-proof-of-work) of ${DEFAULT_CHALLENGE_BITS} bits before it can register anonymously; \`proof_of_work:20\` sets another number of bits, 1 to ${MAX_CHALLENGE_BITS}`,
	}),
	securityContact: operation("SECURITY_CONTACT", optional(z.url({ protocol: /^(mailto|https|tel)$/ })), {
		owner: "operating",
		ifInvalid: "off",
		meaning:
			"URI (`mailto:`, `https:` or `tel:`) where people report vulnerabilities. `/.well-known/security.txt` shows it, and returns 404 without it",
	}),
	alertReceiver: operation("ALERT_WEBHOOK", optional(alertReceiver), {
		owner: "operating",
		isSecret: true,
		ifInvalid: "off",
		meaning:
			"URL that receives a message when something needs an operator's attention, and another when the problem is over. Slack and Discord webhooks receive it in their own format. See [Alerts](/docs/operating/metrics#alerts)",
	}),
	/** The URL of an external service, to which the platform sends requests while it works. The service alerts operators if they stop. */
	heartbeatUrl: operation("HEARTBEAT_URL", optional(httpUrl), {
		owner: "operating",
		isSecret: true,
		ifInvalid: "off",
		meaning:
			"URL that gets a GET request every minute while the cron triggers, the queues and the Durable Objects work. A service that alerts you when the requests stop notices failures that the platform itself cannot report. See [Heartbeat](/docs/operating/metrics#heartbeat)",
	}),
	maxQueueAgeMs: operation(
		"SUBMISSIONS_MAX_QUEUE_AGE_SECONDS",
		wholeNumber(30, 99_999_999)
			.transform((seconds) => seconds * SECOND_MS)
			.prefault("900"),
		{
			ifInvalid: "default",
			meaning: "requests for new submissions return 503 `SERVICE_PAUSED` while an evaluation has waited longer than this; at least 30",
		},
	),
	/** With `10`, the platform logs one in ten fast, successful reads. It always logs writes, errors and slow requests. */
	logSample: operation("LOG_SAMPLE", wholeNumber(1, 99_999).prefault("10"), {
		ifInvalid: "default",
		meaning: "`10` logs one in ten fast, successful reads: see [the log](/docs/operating/metrics#the-log)",
	}),
	...judgingSettings,
	grader: graderSettings,
	signIn: signInSettings,
	/** The URLs of the JSON-RPC nodes with which the platform looks up contract wallets and payments, keyed by chain. */
	walletRpcUrls: chains("WALLET_RPC_URLS", nodeUrls.prefault(""), {
		isSecret: true,
		example: "base=https://node.invalid",
		ifInvalid: "off",
		meaning:
			"JSON-RPC nodes by chain, such as `base=https://node.example,mainnet=https://node.example/key`. The chains are `base`, `optimism`, `arbitrum` and `mainnet`. If no URL contains a key, you can use a variable instead of a secret",
	}),
	directTransfers: directTransferSettings,
});

/** Lists the settings that are valid by themselves, but must not have their values outside development. */
function findProductionFaults(config: z.output<typeof everySetting>) {
	const { keys, publicUrl, judge, grader, alertReceiver: alerts, heartbeatUrl, signIn } = config;
	const faults: [path: readonly string[], message: string][] = [];
	if (isDevelopmentKey(keys.current))
		faults.push([["keys", "current"], "is the key in .dev.vars, which is public; set your own key (openssl rand -base64 32)"]);
	if (publicUrl?.startsWith("https:") !== true) {
		const message = "must be an https URL outside development, because links, signed URLs, callbacks and sign-in redirects start with it";
		faults.push([["publicUrl"], message]);
	}
	if (judge?.kind === "offline") faults.push([["judge", "kind"], "the offline judge is for development and tests only"]);
	if (judge?.kind === "openai" && !listBaseUrls(judge.baseUrl).every(isHttps))
		faults.push([["judge", "baseUrl"], "must be https outside development, because every request contains the key"]);
	if (grader?.kind === "url" && !isHttps(grader.url))
		faults.push([["grader", "url"], "must be https outside development, because every request contains the token"]);
	const signInOverHttp = "must be https outside development, because sign-ins exchange codes, tokens and secrets with it";
	if (signIn.github !== null && !isHttps(signIn.github.url)) faults.push([["signIn", "github", "url"], signInOverHttp]);
	if (signIn.oidc !== null && !isHttps(signIn.oidc.issuer)) faults.push([["signIn", "oidc", "issuer"], signInOverHttp]);
	if (heartbeatUrl !== null && !isHttps(heartbeatUrl)) faults.push([["heartbeatUrl"], "must be https outside development"]);
	if (alerts !== null && !isHttps(alerts.url)) faults.push([["alertReceiver"], "must be https outside development"]);
	return faults;
}

/** The scheme of a URL may be written in upper case. */
function isHttps(url: string): boolean {
	return new URL(url).protocol === "https:";
}

/** Compares the decoded bytes, because several base64 strings can stand for the same key. */
function isDevelopmentKey(key: string): boolean {
	const bytes = decodeKey(key);
	return bytes !== null && new TextDecoder().decode(bytes) === DEVELOPMENT_KEY;
}

/** The schema of the whole configuration. Its input is from `readVariables`. */
export const settings = everySetting.transform((config, context) => {
	const faults = config.environment === "development" ? [] : findProductionFaults(config);
	for (const [path, message] of faults) context.addIssue({ code: "custom", path: [...path], message });
	return {
		...config,
		...CONSTANTS,
		placement: config.environment === "development" ? placeLocally(config.placement) : config.placement,
		directTransfers: config.directTransfers && {
			...config.directTransfers,
			endpoint: placeEndpoint(config.directTransfers.endpoint, config.placement.jurisdiction),
		},
		/** The noise is 0 for the offline judge, which always gives the same answer. */
		judgeNoise: config.judge?.kind === "offline" ? 0 : config.judgeNoise,
		/** If true, URLs of webhooks and callbacks may have http and loopback addresses, and images may be in a registry on this machine. */
		allowInsecureTargets: config.environment === "development",
	};
});
