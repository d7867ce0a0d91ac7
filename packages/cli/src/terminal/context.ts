import { type Connection, chooseConnection } from "../core/config.ts";
import { CommandError } from "../core/exit-codes.ts";
import { originOf } from "../core/origin.ts";
import { type Environment, readConfig } from "../core/profiles.ts";
import { BountyApiError, BountyClient, type ClientOptions, type RetryNotice } from "../core/sdk.ts";
import { renewProfile } from "../core/sign-in.ts";
import { type GlobalOptions, type Streams, Terminal } from "./terminal.ts";
import { clean } from "./text.ts";

const NOTICED_MS = 2_000;

/** Through its world, a command reaches everything outside of itself. */
export interface World {
	readonly streams: Streams;
	readonly env: Environment;
	/** Aborted by Ctrl-C. */
	readonly signal: AbortSignal;
	readonly version: string;
}

type Connectable = Pick<Connection, "url" | "profile"> & { readonly apiKey?: string | undefined };

/** A command gets its client, its terminal and its signal from here. */
export class Context {
	readonly world: World;
	readonly options: GlobalOptions;
	readonly terminal: Terminal;

	readonly #taskUrl: string | undefined;

	/** @param taskUrl The URL of a task in the arguments, which also names the platform. */
	constructor(world: World, options: GlobalOptions, taskUrl?: string) {
		this.world = world;
		this.options = options;
		this.#taskUrl = taskUrl;
		this.terminal = new Terminal(world.streams, { env: world.env, options });
	}

	get signal(): AbortSignal {
		return this.world.signal;
	}

	async connection(): Promise<Connection> {
		const { env } = this.world;
		const connection = chooseConnection(await readConfig(env), { env, ...this.options, taskUrl: this.#taskUrl });
		const { profile } = connection;
		if (profile === undefined) return connection;
		const renewed = await renewProfile(env, profile, { signal: this.signal, now: () => Date.now() });
		return renewed === undefined ? connection : { ...connection, apiKey: renewed.apiKey };
	}

	/** Returns a client with the caller's key. @throws CommandError without a key. */
	async client(): Promise<BountyClient> {
		return this.connect(await this.keyedConnection());
	}

	async keyedConnection(): Promise<Connection & { readonly apiKey: string }> {
		const connection = await this.connection();
		const { apiKey } = connection;
		if (apiKey !== undefined) return { ...connection, apiKey };
		const { broken } = await readConfig(this.world.env);
		const hints = [...Object.values(broken), `Run: bounty login --url ${connection.url}`, "Or set BOUNTY_URL and BOUNTY_API_KEY."];
		throw new CommandError(`No API key is set for ${connection.url}.`, { exitCode: 3, hints });
	}

	/** Returns a client that sends the key only if there is one. */
	async anonymousClient(): Promise<BountyClient> {
		return this.connect(await this.connection());
	}

	connect(connection: Connectable): BountyClient {
		return new BountyClient({
			baseUrl: connection.url,
			apiKey: connection.apiKey,
			fetch: this.#renewingFetch(connection),
			userAgent: `bounty-cli/${this.world.version}`,
			onRetry: (notice) => this.#announce(notice),
		});
	}

	/** The token of a sign-in expires within an hour, and a command may run longer, so each request is sent with the profile's newest. */
	#renewingFetch({ url: platform, apiKey, profile }: Connectable): ClientOptions["fetch"] {
		if (profile === undefined) return undefined;
		return async (url, init) => {
			const headers = new Headers(init?.headers);
			if (headers.get("Authorization") !== `Bearer ${apiKey}`) return fetch(url, init);
			// A refresh token works once, so the end of one request must not interrupt a renewal.
			const renewed = await renewProfile(this.world.env, profile, { signal: this.signal, now: () => Date.now() });
			if (renewed === undefined || originOf(renewed.url) !== originOf(platform)) return fetch(url, init);
			headers.set("Authorization", `Bearer ${renewed.apiKey}`);
			return fetch(url, { ...init, headers });
		};
	}

	/** Announces a wait that a person would notice, and its reason. */
	#announce({ delayMs, error }: RetryNotice): void {
		if (delayMs < NOTICED_MS) return;
		const reason = error instanceof BountyApiError ? `${clean(error.message)} (${error.code})` : "The platform cannot be reached.";
		this.terminal.note(`${reason} Trying again in ${Math.ceil(delayMs / 1000)} s.`);
	}
}
