// What the Worker's isolate in the local runtime has in memory, as its inspector says.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const MB = 1_048_576;
const POLL_MS = 10;

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

/** Runs some work. Returns what it returned, and the most memory that the isolate had meanwhile. */
export async function watchMemory<Result>(inspector: Inspector, work: () => Promise<Result>): Promise<{ result: Result; peakMb: number }> {
	let isOver = false;
	let peakMb = 0;
	const watching = (async () => {
		while (!isOver) {
			peakMb = Math.max(peakMb, await inspector.readMemoryMb());
			await delay(POLL_MS);
		}
	})();
	const result = await work().finally(() => {
		isOver = true;
	});
	await watching;
	return { result, peakMb: Math.max(peakMb, await inspector.readMemoryMb()) };
}
