// What the Worker's isolate in the local runtime has in memory, as its inspector says.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const MB = 1_048_576;
const POLL_MS = 20;
const LASTING_MS = 1_000;

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })], z.unknown());
const heapUsage = z.object({
	id: z.number(),
	result: z.object({ usedSize: z.number(), embedderHeapUsedSize: z.number(), backingStorageSize: z.number() }),
});

export interface Inspector {
	/** Objects and buffers of the isolate in megabytes, with garbage that is not yet collected. */
	readMemoryMb(): Promise<number>;
	close(): void;
}

/** Connects to the inspector of a platform that runs with this `inspectorPort`. */
export async function openInspector(port: number): Promise<Inspector> {
	const [{ webSocketDebuggerUrl }] = targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
	// The runtime's proxy refuses connections without an origin that it knows. Only Node's types, not the runtime's, know headers here.
	const socket: WebSocket = Reflect.construct(WebSocket, [webSocketDebuggerUrl, { headers: { Origin: "http://localhost" } }]);
	const waiting = new Map<number, (megabytes: number) => void>();
	socket.addEventListener("message", ({ data }) => {
		const reply = heapUsage.safeParse(JSON.parse(String(data)));
		if (!reply.success) return;
		const { usedSize, embedderHeapUsedSize, backingStorageSize } = reply.data.result;
		waiting.get(reply.data.id)?.((usedSize + embedderHeapUsedSize + backingStorageSize) / MB);
		waiting.delete(reply.data.id);
	});
	await new Promise((resolve, reject) => {
		socket.addEventListener("open", resolve, { once: true });
		socket.addEventListener("error", reject, { once: true });
	});
	let sent = 0;
	return {
		readMemoryMb: () =>
			new Promise((resolve) => {
				sent += 1;
				waiting.set(sent, resolve);
				socket.send(JSON.stringify({ id: sent, method: "Runtime.getHeapUsage" }));
			}),
		close: () => socket.close(),
	};
}

interface Memory {
	/** The most that the isolate had at any moment, in megabytes. */
	readonly peakMb: number;
	/** The most that it had for a whole second, in megabytes: garbage of bodies that pass through is collected by then. */
	readonly lastingMb: number;
}

/** Runs some work, and watches the isolate's memory meanwhile. */
export async function watchMemory<Result>(
	inspector: Inspector,
	work: () => Promise<Result>,
): Promise<Memory & { readonly result: Result }> {
	const looks: { readonly at: number; readonly mb: number }[] = [];
	let isOver = false;
	const watching = (async () => {
		while (!isOver) {
			looks.push({ mb: await inspector.readMemoryMb(), at: performance.now() });
			await delay(POLL_MS);
		}
	})();
	const result = await work().finally(() => {
		isOver = true;
	});
	await watching;
	const leastInSecond = looks.map(({ at }) =>
		Math.min(...looks.filter((look) => look.at >= at && look.at < at + LASTING_MS).map(({ mb }) => mb)),
	);
	const wholeSeconds = leastInSecond.filter((_, index) => (looks[index]?.at ?? 0) + LASTING_MS <= (looks.at(-1)?.at ?? 0));
	const all = looks.map(({ mb }) => mb);
	return { result, peakMb: Math.max(...all), lastingMb: wholeSeconds.length > 0 ? Math.max(...wholeSeconds) : Math.min(...all) };
}
