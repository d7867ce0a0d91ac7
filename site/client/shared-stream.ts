// All tabs of a browser share event streams. Over HTTP/1.1, a browser opens six connections to a host, so a seventh tab with its own stream
// would not load at all. Each stream also keeps a Durable Object awake.

/** The maximum number of open streams in a browser. The other connections are for loading pages. */
const SLOTS = ["live-stream-1", "live-stream-2", "live-stream-3"];
/** How often a tab without a slot polls the board and asks for a slot. */
const POLL_MS = 15_000;
/**
 * How long a tab waits before it reopens a stream that the server rejected, because the browser does not. The limit behind a 429 lasts for
 * a minute.
 */
const REOPEN_MS = 60_000;

/** `state` is `on` or `lost`. The other names are events of the stream, with their data as JSON. */
type Name = "state" | "leaderboard" | "task" | "terminal";

interface News {
	readonly name: Name;
	readonly data: string;
	/** When a tab received the news from the server, in milliseconds since the epoch. All tabs share one clock. */
	readonly at: number;
}

type Show = (news: News) => void;

/**
 * Follows a stream together with all visible tabs that follow it. One tab reads the stream and informs the others. A tab that is hidden
 * gives up the stream, so that another tab can read it, and catches up once it is visible again.
 *
 * @param boardUrl Responds with the data of `leaderboard`.
 */
export function followTogether({ streamUrl, boardUrl }: { streamUrl: string; boardUrl: string }, show: Show): void {
	const channel = new BroadcastChannel(streamUrl);
	const latest = new Map<Name, News>();
	let [leads, isOver] = [false, false];
	let presence: AbortController | null = null;

	const take = (news: News) => {
		if (latest.get(news.name)?.data === news.data) return;
		latest.set(news.name, news);
		isOver ||= news.name === "terminal";
		show(news);
	};
	const tell = (name: Name, data: string) => {
		const news = { name, data, at: Date.now() };
		take(news);
		channel.postMessage(news);
	};
	channel.addEventListener("message", ({ data }: MessageEvent<News | null>) => {
		if (data !== null) take(data);
		else if (leads) for (const news of latest.values()) channel.postMessage(news);
	});

	const lead = async (signal: AbortSignal) => {
		leads = true;
		while (!signal.aborted && !isOver) {
			if (await holdSlot(() => readStream(streamUrl, { tell, signal }))) continue;
			await pollBoard(boardUrl, tell);
			await pause(POLL_MS, signal);
		}
		leads = false;
	};
	const joinOrLeave = () => {
		presence?.abort();
		presence = null;
		if (document.hidden || isOver) return;
		presence = new AbortController();
		const { signal } = presence;
		// Asks the leading tab for the current state.
		channel.postMessage(null);
		// If the wait for the lock is aborted, the promise rejects.
		whileAlone(streamUrl, signal, () => lead(signal)).catch(() => undefined);
	};
	document.addEventListener("visibilitychange", joinOrLeave);
	joinOrLeave();
}

/** Runs work in one tab at a time. Browsers have locks only on secure pages. Without them, each tab works by itself. */
async function whileAlone(name: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
	await (hasLocks() ? navigator.locks.request(name, { signal }, work) : work());
}

function hasLocks(): boolean {
	return "locks" in navigator;
}

/** Runs work while this tab holds a slot. Returns false if none is free. */
async function holdSlot(work: () => Promise<void>): Promise<boolean> {
	if (!hasLocks()) return work().then(() => true);
	for (const slot of SLOTS) {
		const isHeld = await navigator.locks.request(slot, { ifAvailable: true }, (lock) => (lock === null ? false : work().then(() => true)));
		if (isHeld) return true;
	}
	return false;
}

type Tell = (name: Name, data: string) => void;

/** Reads a stream until it ends or `signal` aborts. The browser reconnects automatically after a lost connection. */
function readStream(url: string, { tell, signal }: { tell: Tell; signal: AbortSignal }): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	if (signal.aborted) return Promise.resolve();
	const stream = new EventSource(url);
	const end = () => {
		stream.close();
		resolve();
	};
	signal.addEventListener("abort", end);
	stream.addEventListener("open", () => tell("state", "on"));
	stream.addEventListener("error", () => {
		tell("state", "lost");
		if (stream.readyState === EventSource.CLOSED) setTimeout(end, REOPEN_MS);
	});
	for (const name of ["leaderboard", "task", "terminal"] as const) {
		stream.addEventListener(name, ({ data }) => {
			tell(name, data);
			if (name === "terminal") end();
		});
	}
	return promise;
}

async function pollBoard(url: string, tell: Tell): Promise<void> {
	try {
		const response = await fetch(url);
		if (!response.ok) return;
		tell("leaderboard", await response.text());
		tell("state", "on");
	} catch {
		tell("state", "lost");
	}
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	setTimeout(resolve, ms);
	signal.addEventListener("abort", () => resolve());
	return promise;
}
