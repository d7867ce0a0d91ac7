const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const PARENT_CHECK_MS = 1_000;

/** Returns a signal that aborts when the process is asked to stop, or when its parent has ended and can no longer ask. */
export function stopSignal(): AbortSignal {
	const controller = new AbortController();
	for (const signal of SIGNALS) process.on(signal, () => controller.abort());
	const parent = process.ppid;
	setInterval(() => {
		if (process.ppid !== parent) controller.abort();
	}, PARENT_CHECK_MS).unref();
	return controller.signal;
}

/** Resolves when a signal aborts. Also resolves if that happened before the call, after which an event listener would wait forever. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
	return new Promise((resolve) => {
		if (signal.aborted) resolve(undefined);
		else signal.addEventListener("abort", () => resolve(undefined), { once: true });
	});
}
