// The demo's stage: players that call the platform with the SDK, visitors that watch it without a key, and a terminal that shows the
// events.
import { setTimeout as delay } from "node:timers/promises";
import { styleText } from "node:util";
import { BountyClient } from "../../packages/sdk/src/node.ts";
import { CommandError } from "../support/command.ts";

const POLL_MS = 1_000;
const WAIT_LIMIT_MS = 180_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than the rest of a minute, after which a rate limit ends. */
const PATIENT_TIMEOUT_MS = 180_000;
/** The public stream sends at most two leaderboards a second. The demo waits for them no longer than this. */
const REWRITE_TIMEOUT_MS = 5_000;
const SHOWN_ENTRIES = 4;
const SPINNER = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPIN_MS = 80;

/** An agent or poster that calls the API with its own key. */
export interface Player {
	readonly name: string;
	/** The API key. A browser can also sign in with it. */
	readonly key: string;
	readonly client: BountyClient;
}

export interface Visitor {
	/** Waits until the stream has said that the task is closed, but only for some seconds: a lost connection must not stop the demo. */
	closed(): Promise<void>;
	leave(): void;
}

export class Stage {
	readonly #url: string;
	readonly #signal: AbortSignal;

	/** Opens a stage on the platform at `url`. Everything on the stage ends when the signal aborts. */
	constructor(url: string, signal: AbortSignal) {
		this.#url = url;
		this.#signal = signal;
	}

	/** Registers a new identity. */
	async enter(name: string): Promise<Player> {
		const { api_key: key } = await this.#connect().registerAnonymous({ display_name: name });
		return { name, key, client: this.#connect(key) };
	}

	/** Writes a heading between steps. */
	title(text: string): void {
		print(`\n${styleText("bold", text)}`);
	}

	say(text: string): void {
		print(text === "" ? "" : `  ${text}`);
	}

	/** Writes a table with aligned columns. Numbers are right-aligned. */
	table(rows: readonly Readonly<Record<string, string | number>>[]): void {
		print(formatTable(rows));
	}

	/** Polls every second until `poll` returns a value, and shows progress. */
	async waitFor<T>(what: string, poll: () => Promise<T | null>): Promise<T> {
		const giveUpAt = performance.now() + WAIT_LIMIT_MS;
		const indicator = showProgress(what);
		try {
			while (performance.now() < giveUpAt) {
				const found = await poll();
				if (found !== null) return found;
				await this.pause(POLL_MS);
			}
			throw new CommandError(`${what}: no result after ${WAIT_LIMIT_MS / 60_000} minutes. The server's log may say why.`);
		} finally {
			indicator.stop();
		}
	}

	/** Waits. @throws CommandError if the demo is stopped first. */
	async pause(ms: number): Promise<void> {
		await delay(ms, undefined, { signal: this.#signal }).catch(() => {
			throw new CommandError("Stopped.");
		});
	}

	/** Follows a task in the same way as a visitor without a key, and describes its leaderboard whenever it changes. */
	follow(taskId: string, title: string): Visitor {
		// This client does not use the stage's signal, because it must still see that the task closes after the demo was stopped.
		const client = new BountyClient({ baseUrl: this.#url });
		const controller = new AbortController();
		let shown = "";
		const watch = async () => {
			for await (const event of client.streamPublicTask(taskId, { signal: controller.signal })) {
				if (event.type !== "leaderboard") continue;
				const best = event.data.entries
					.slice(0, SHOWN_ENTRIES)
					.map(({ rank, agentName, finalScore }) => `${rank}. ${agentName} ${finalScore.toFixed(1)}`);
				const text = best.join("   ");
				if (text !== "" && text !== shown) this.say(`${title}:  ${text}`);
				shown = text;
			}
		};
		const closed = watch().catch(() => {});
		return {
			closed: () => inTime(closed),
			leave: () => controller.abort(),
		};
	}

	#connect(apiKey?: string): BountyClient {
		const send = (url: string, init: RequestInit = {}) => this.#fetch(url, init);
		return new BountyClient({ baseUrl: this.#url, apiKey, timeoutMs: PATIENT_TIMEOUT_MS, maxRetries: 0, fetch: send });
	}

	/** Sends a request and waits while it exceeds a rate limit, because limits count per IP address and all players share one. */
	async #fetch(url: string, init: RequestInit): Promise<Response> {
		for (;;) {
			const signals = [this.#signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS), ...(init.signal ? [init.signal] : [])];
			const response = await fetch(url, { ...init, signal: AbortSignal.any(signals) }).catch((error: unknown) => {
				if (this.#signal.aborted) throw new CommandError("Stopped.");
				throw error;
			});
			if (response.status !== 429) return response;
			const seconds = Number(response.headers.get("Retry-After") ?? "60");
			console.log(`  This IP address has used its requests for this minute. Continuing in ${seconds} seconds.`);
			await this.pause(seconds * 1_000);
		}
	}
}

/** Prints a line in place of the spinner, which then appears again below it. */
function print(text: string): void {
	console.log(process.stdout.isTTY ? `\r\u001b[K${text}` : text);
}

async function inTime(wanted: Promise<void>): Promise<void> {
	await Promise.race([wanted, delay(REWRITE_TIMEOUT_MS, undefined, { ref: false })]);
}

/** Shows a spinner on a terminal, and a line elsewhere. */
function showProgress(what: string): { stop(): void } {
	if (!process.stdout.isTTY) {
		console.log(`  ${what} …`);
		return { stop: () => undefined };
	}
	const startedAt = performance.now();
	let frame = 0;
	const timer = setInterval(() => {
		frame += 1;
		const seconds = Math.floor((performance.now() - startedAt) / 1_000);
		process.stdout.write(`\r  ${SPINNER[frame % SPINNER.length]} ${what} … ${seconds} s`);
	}, SPIN_MS);
	return {
		stop: () => {
			clearInterval(timer);
			process.stdout.write("\r\u001b[K");
		},
	};
}

function formatTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
	const columns = Object.keys(rows[0] ?? {}).map((name) => ({
		name,
		width: Math.max(name.length, ...rows.map((row) => String(row[name] ?? "").length)),
		isNumeric: rows.every((row) => typeof row[name] === "number"),
	}));
	const line = (cell: (name: string) => string) =>
		`  ${columns.map(({ name, width, isNumeric }) => (isNumeric ? cell(name).padStart(width) : cell(name).padEnd(width))).join("   ")}`.trimEnd();
	const rule = `  ${columns.map(({ width }) => "─".repeat(width)).join("───")}`;
	return [line((name) => name), rule, ...rows.map((row) => line((name) => String(row[name] ?? "")))].join("\n");
}
