// The inspector of the local runtime reports the memory of the Worker's isolate.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const MB = 1_048_576;
const POLL_MS = 50;

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })], z.unknown());
const reply = z.object({ id: z.number(), result: z.unknown() });
const heapUsage = z.object({ usedSize: z.number(), embedderHeapUsedSize: z.number(), backingStorageSize: z.number() });

export interface Inspector {
	/** Objects and buffers of the isolate in megabytes, with garbage that is not yet collected. */
	readMemoryMb(): Promise<number>;
	/** Collects garbage as the production runtime does near its limit, so that only what is held is left. */
	collectGarbage(): Promise<void>;
	close(): void;
}

/** Connects to the inspector of a platform that runs with this `inspectorPort`. */
export async function openInspector(port: number): Promise<Inspector> {
	const [{ webSocketDebuggerUrl }] = targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
	// The runtime's proxy refuses connections without an origin that it knows. Only Node's types, not the runtime's, know headers here.
	const socket: WebSocket = Reflect.construct(WebSocket, [webSocketDebuggerUrl, { headers: { Origin: "http://localhost" } }]);
	const waiting = new Map<number, (result: unknown) => void>();
	socket.addEventListener("message", ({ data }) => {
		const message = reply.safeParse(JSON.parse(String(data)));
		if (!message.success) return;
		waiting.get(message.data.id)?.(message.data.result);
		waiting.delete(message.data.id);
	});
	await new Promise((resolve, reject) => {
		socket.addEventListener("open", resolve, { once: true });
		socket.addEventListener("error", reject, { once: true });
	});
	let sent = 0;
	const call = (method: string) =>
		new Promise<unknown>((resolve) => {
			sent += 1;
			waiting.set(sent, resolve);
			socket.send(JSON.stringify({ id: sent, method }));
		});
	return {
		async readMemoryMb() {
			const { usedSize, embedderHeapUsedSize, backingStorageSize } = heapUsage.parse(await call("Runtime.getHeapUsage"));
			return (usedSize + embedderHeapUsedSize + backingStorageSize) / MB;
		},
		async collectGarbage() {
			await call("HeapProfiler.collectGarbage");
		},
		close: () => socket.close(),
	};
}

interface Memory {
	/** The most at any look before garbage was collected, in megabytes. It depends on when the runtime collects. */
	readonly withGarbageMb: number;
	/** The most at any look right after garbage was collected, in megabytes: what the work holds. */
	readonly liveMb: number;
}

/** Runs some work, and looks at the isolate's memory until it ends. Each look collects garbage, so the work takes longer. */
export async function watchMemory<Result>(
	inspector: Inspector,
	work: () => Promise<Result>,
): Promise<Memory & { readonly result: Result }> {
	let [withGarbageMb, liveMb, isOver] = [0, 0, false];
	const watching = (async () => {
		do {
			withGarbageMb = Math.max(withGarbageMb, await inspector.readMemoryMb());
			await inspector.collectGarbage();
			liveMb = Math.max(liveMb, await inspector.readMemoryMb());
			await delay(POLL_MS);
		} while (!isOver);
	})();
	const result = await work().finally(() => {
		isOver = true;
	});
	await watching;
	return { result, withGarbageMb, liveMb };
}
