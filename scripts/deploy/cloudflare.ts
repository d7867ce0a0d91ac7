// Sends requests to Cloudflare's API for tasks without a wrangler command, with wrangler's own log-in.
import { z } from "zod";
import { CommandError } from "../support/command.ts";
import { requireWrangler } from "../support/wrangler.ts";

const DEFAULT_API = "https://api.cloudflare.com/client/v4";
const TIMEOUT_MS = 30_000;
const NOT_FOUND = 404;

const envelope = z.object({ result: z.unknown() });
const login = z.object({ token: z.string() });
const identity = z.object({ accounts: z.array(z.object({ id: z.string() })) });

export interface Account {
	/**
	 * Requests a path below the account.
	 *
	 * @returns The result, or null if there is nothing at the path.
	 * @throws CommandError with Cloudflare's own words.
	 */
	ask<S extends z.ZodType>(request: { method: "GET" | "PUT"; path: string; body?: unknown }, result: S): Promise<z.output<S> | null>;
}

/** @throws CommandError if wrangler is not logged in with a token, or if the account is ambiguous. */
export async function openAccount(): Promise<Account> {
	const { token } = login.parse(JSON.parse(await requireWrangler("auth", "token", "--json")));
	const id = process.env["CLOUDFLARE_ACCOUNT_ID"] || (await findOnlyAccount());
	const root = `${process.env["CLOUDFLARE_API_BASE_URL"] ?? DEFAULT_API}/accounts/${id}`;
	return {
		async ask({ method, path, body }, result) {
			const response = await fetch(`${root}${path}`, {
				method,
				headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
				signal: AbortSignal.timeout(TIMEOUT_MS),
				...(body === undefined ? {} : { body: JSON.stringify(body) }),
			});
			const text = await response.text();
			if (response.status === NOT_FOUND) return null;
			if (!response.ok) throw new CommandError(`Cloudflare refused ${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
			return result.parse(envelope.parse(JSON.parse(text)).result);
		},
	};
}

async function findOnlyAccount(): Promise<string> {
	const { accounts } = identity.parse(JSON.parse(await requireWrangler("whoami", "--json")));
	const [only, ...others] = accounts;
	if (only === undefined || others.length > 0)
		throw new CommandError("Set CLOUDFLARE_ACCOUNT_ID, because your log-in has several accounts.");
	return only.id;
}
