// Calls the API of GitHub or of a GitHub Enterprise server. Sends the token to only one host.
import { CommandError, exitCodeOfStatus, usageError } from "../core/exit-codes.ts";
import { assertSafeUrl } from "../core/sdk.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const TIMEOUT_MS = 30_000;

interface Call {
	/** Default: GET. */
	readonly method?: "GET" | "POST" | "PATCH";
	/** A path of the API, or a URL on its host. */
	readonly to: string;
	readonly body?: unknown;
	/** The permission that the job needs for this, such as `issues: write`. */
	readonly needs?: string;
}

/** A request to GitHub has failed. `status` is 0 if no response arrived. */
export class GitHubError extends CommandError {
	readonly status: number;

	constructor(message: string, { status, hints = [], cause }: { status: number; hints?: readonly string[]; cause?: unknown }) {
		super(message, { exitCode: status === 0 ? 9 : exitCodeOfStatus(status), hints, cause });
		this.status = status;
	}
}

export class GitHub {
	readonly #api: string;
	readonly #token: string | null;
	readonly #signal: AbortSignal | undefined;

	/** Prepares calls with the token, or without one. @throws BountyUsageError for an API that is neither https nor on loopback. */
	constructor({ api, token, signal }: { api: string; token: string | null; signal?: AbortSignal | undefined }) {
		assertSafeUrl(api, "The URL of GitHub's API");
		this.#api = api.replace(/\/+$/, "");
		this.#token = token;
		this.#signal = signal;
	}

	/** Sends a request and returns the parsed response. @throws GitHubError if the response is not a success, such as a redirect. */
	async send({ method = "GET", to, body, needs }: Call): Promise<unknown> {
		const url = to.startsWith("/") ? this.#api + to : to;
		if (new URL(url).host !== new URL(this.#api).host) throw usageError(`${url} is not on the host of GitHub's API, ${this.#api}.`);
		const timeout = AbortSignal.timeout(TIMEOUT_MS);
		try {
			const response = await fetch(url, {
				method,
				redirect: "manual",
				signal: this.#signal === undefined ? timeout : AbortSignal.any([this.#signal, timeout]),
				headers: {
					Accept: "application/vnd.github+json",
					"Content-Type": "application/json",
					"User-Agent": "bounty",
					...(this.#token === null ? {} : { Authorization: `Bearer ${this.#token}` }),
				},
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			if (response.ok) return await response.json();
			await response.body?.cancel();
			throw refusal(`${method} ${new URL(url).pathname}`, { status: response.status, needs, hasToken: this.#token !== null });
		} catch (error) {
			if (error instanceof GitHubError || this.#signal?.aborted === true) throw error;
			throw new GitHubError(`GitHub cannot be reached at ${this.#api}: ${reasonOf(error)}`, { status: 0, cause: error });
		}
	}
}

function refusal(call: string, { status, needs, hasToken }: { status: number; needs: string | undefined; hasToken: boolean }): GitHubError {
	if (status >= 500) return new GitHubError(`GitHub failed with status ${status} (${call}). Try again later.`, { status });
	const hints = [
		...(needs === undefined ? [] : [`The job needs the permission ${needs}.`]),
		...(hasToken ? [] : ["Set GITHUB_TOKEN to read private repositories, or to make more requests."]),
		...(status >= 300 && status < 400 ? ["The repository or the issue has moved. Use its new name."] : []),
	];
	return new GitHubError(`GitHub rejects the request with status ${status} (${call}).`, { status, hints });
}

function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? error.cause.message : error.message;
}

const PUBLIC = "https://github.com";

interface Place {
	/** The origin of the server's pages. */
	readonly server: string;
	readonly api: string;
}

/**
 * Returns the GitHub server that GITHUB_API_URL and GITHUB_SERVER_URL name. Either of them is enough. Without them, it is the public one.
 */
export function findGitHub(env: Environment): Place {
	const api = env["GITHUB_API_URL"] || undefined;
	const given = env["GITHUB_SERVER_URL"] || undefined;
	const server = given === undefined ? undefined : assertSafeUrl(given, "GITHUB_SERVER_URL").origin;
	if (api !== undefined) return { api, server: server ?? serverOf(assertSafeUrl(api, "GITHUB_API_URL")) };
	return { api: apiOf(server ?? PUBLIC), server: server ?? PUBLIC };
}

/** On ghe.com, the API has its own host. Other servers have it below a path. */
function apiOf(server: string): string {
	const url = new URL(server);
	if (server === PUBLIC || url.hostname.endsWith(".ghe.com")) return `https://api.${url.host}`;
	return `${url.origin}/api/v3`;
}

function serverOf(api: URL): string {
	return api.pathname.replace(/\/+$/, "") === "" && api.host.startsWith("api.") ? `https://${api.host.slice("api.".length)}` : api.origin;
}

const ISSUE_PATH = /^\/([\w.-]+)\/([\w.-]+)\/issues\/(\d{1,15})\/?$/;
const SHORT = /^([\w.-]+)\/([\w.-]+)#(\d{1,15})$/;

/**
 * Fetches an issue by its URL, or by `owner/repository#number` on the environment's GitHub server. GITHUB_TOKEN is sent only to the API
 * host of that server.
 *
 * @returns GitHub's JSON, which is not checked yet.
 * @throws CommandError for another text, or if GitHub does not show the issue.
 */
export async function fetchIssue(text: string, { env, signal }: { env: Environment; signal: AbortSignal }): Promise<unknown> {
	const home = findGitHub(env);
	const url = URL.canParse(text) ? assertSafeUrl(text, "The URL of the issue") : undefined;
	const [, owner, repository, number] = (url === undefined ? SHORT.exec(text) : ISSUE_PATH.exec(url.pathname)) ?? [];
	if (owner === undefined || repository === undefined || [owner, repository].some((name) => /^\.+$/.test(name))) {
		throw usageError(`${text} is not an issue.`, "Give its URL, owner/repository#number, or - to read GitHub's JSON from standard input.");
	}
	const api = url === undefined || url.origin === home.server ? home.api : apiOf(url.origin);
	const isHome = new URL(api).host === new URL(home.api).host;
	const token = (isHome && env["GITHUB_TOKEN"]?.trim()) || null;
	return new GitHub({ api, token, signal }).send({ to: `/repos/${owner}/${repository}/issues/${number}` });
}
