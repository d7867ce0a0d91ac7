// Sends requests to Cloudflare's API with wrangler's own login, because each start of wrangler takes a second or more.
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import { askWrangler } from "../support/wrangler.ts";

const DEFAULT_API = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
const NOT_FOUND = 404;

const envelope = z.object({ result: z.unknown() });
const login = z.object({ token: z.string() });
const identity = z.object({ accounts: z.array(z.object({ id: z.string() })) });

interface ApiRequest {
	readonly method: "GET" | "POST" | "PUT";
	/** The path below the account in Cloudflare's API. */
	readonly path: string;
	readonly body?: unknown;
	readonly headers?: Readonly<Record<string, string>>;
}

export interface Account {
	readonly id: string;
	/** Sends a request. @returns The result, or null if there is nothing at the path. @throws CommandError with Cloudflare's own words. */
	ask<S extends z.ZodType>(request: ApiRequest, result: S): Promise<z.output<S> | null>;
}

/** @throws CommandError that says how to log in, or that the account is ambiguous. */
export async function openAccount(): Promise<Account> {
	const token = process.env["CLOUDFLARE_API_TOKEN"] || login.parse(await askAboutLogin("auth", "token")).token;
	const id = process.env["CLOUDFLARE_ACCOUNT_ID"] || (await findOnlyAccount());
	const root = `${process.env["CLOUDFLARE_API_BASE_URL"] ?? DEFAULT_API}/accounts/${id}`;
	const account: Account = {
		id,
		async ask({ method, path, body, headers = {} }, result) {
			const response = await fetch(`${root}${path}`, {
				method,
				headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...headers },
				signal: AbortSignal.timeout(TIMEOUT_MS),
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			}).catch((error: unknown) => {
				throw new CommandError(`Cloudflare does not respond to ${method} ${path}: ${String(error)}`);
			});
			const text = await response.text();
			if (response.status === NOT_FOUND) return null;
			if (!response.ok) throw new CommandError(`Cloudflare rejected ${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
			return result.parse(envelope.parse(JSON.parse(text)).result);
		},
	};
	// The token of a deployment may read this, so a rejection means that the token is wrong.
	await account.ask({ method: "GET", path: "/workers/subdomain" }, z.unknown()).catch((error: unknown) => {
		throw error instanceof CommandError ? new CommandError(`${describeLogin()}\n\n${error.message}`) : error;
	});
	return account;
}

async function askAboutLogin(...args: readonly string[]): Promise<unknown> {
	const { ok, stdout } = await askWrangler({ args: [...args, "--json"] });
	if (!ok) throw new CommandError(describeLogin());
	return JSON.parse(stdout);
}

function describeLogin(): string {
	return process.env["CLOUDFLARE_API_TOKEN"] === undefined
		? "You are not logged in to Cloudflare. Run `npm run -s wrangler -- login`, or set CLOUDFLARE_API_TOKEN (and CLOUDFLARE_ACCOUNT_ID, if you have several accounts)."
		: "Cloudflare rejects the token in CLOUDFLARE_API_TOKEN, or cannot be reached. `npm run -s wrangler -- whoami` says more.";
}

async function findOnlyAccount(): Promise<string> {
	const { accounts } = identity.parse(await askAboutLogin("whoami"));
	const [only, ...others] = accounts;
	if (only === undefined || others.length > 0)
		throw new CommandError("Set CLOUDFLARE_ACCOUNT_ID, because your login has several accounts.");
	return only.id;
}
