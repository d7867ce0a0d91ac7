// Reads the memory of the Worker's isolate through the inspector of the local runtime.
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";

const MB = 1_048_576;
const POLL_MS = 50;

const targets = z.tuple([z.object({ webSocketDebuggerUrl: z.string() })], z.unknown());
/** The runtime gives no result for some commands. */
const reply = z.object({ id: z.number(), result: z.unknown().optional() });
const callFrame = z.object({ functionName: z.string(), scriptId: z.string(), url: z.string(), lineNumber: z.number() });
const profiled = z.object({
	profile: z.object({
		nodes: z.array(z.object({ id: z.number(), callFrame })),
		samples: z.array(z.number()),
		timeDeltas: z.array(z.number()),
	}),
});
const parsedScript = z.object({ method: z.literal("Debugger.scriptParsed"), params: z.object({ scriptId: z.string(), url: z.string() }) });
const createdContext = z.object({
	method: z.literal("Runtime.executionContextCreated"),
	params: z.object({ context: z.object({ id: z.number() }) }),
});
const evaluated = z.object({ result: z.object({ objectId: z.string() }) });
const scriptSource = z.object({ scriptSource: z.string() });
const heapUsage = z.object({ usedSize: z.number(), embedderHeapUsedSize: z.number(), backingStorageSize: z.number() });

export interface Inspector {
	/** Returns the objects and buffers of the isolate in megabytes, with uncollected garbage. */
	readMemoryMb(): Promise<number>;
	/** Collects garbage, as the production runtime does near its limit, and returns the megabytes that are still in use. */
	readUsedMb(): Promise<number>;
	/** Runs work under the processor's profiler. Returns the microseconds that each place in the code took. */
	profile(work: () => Promise<unknown>): Promise<readonly ProfiledPlace[]>;
	close(): void;
}

export interface ProfiledPlace {
	/** A path relative to the project, such as `src/app.ts`. Null for the runtime's own work. */
	readonly file: string | null;
	/** The name of the function, or of the runtime's work, such as `(idle)`. */
	readonly name: string;
	readonly microseconds: number;
}

/** The microseconds between two samples of the profiler. */
const SAMPLING_US = 100;

/** Connects to the inspector of a platform that runs with this `inspectorPort`. */
export async function openInspector(port: number): Promise<Inspector> {
	const [{ webSocketDebuggerUrl }] = targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
	// The runtime's proxy refuses connections without a known origin. Only Node's types, not the runtime's, support headers here.
	const socket: WebSocket = Reflect.construct(WebSocket, [webSocketDebuggerUrl, { headers: { Origin: "http://localhost" } }]);
	const waiting = new Map<number, (result: unknown) => void>();
	const scripts: string[] = [];
	let contextId = 0;
	socket.addEventListener("message", ({ data }) => {
		const script = parsedScript.safeParse(JSON.parse(String(data)));
		if (script.success) scripts.push(script.data.params.scriptId);
		const created = createdContext.safeParse(JSON.parse(String(data)));
		if (created.success) contextId = created.data.params.context.id;
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
	const call = (method: string, params: object = {}) =>
		new Promise<unknown>((resolve) => {
			sent += 1;
			waiting.set(sent, resolve);
			socket.send(JSON.stringify({ id: sent, method, params }));
		});
	/** Finds the file of each line in the bundle, because wrangler writes a comment with the path before each file. */
	async function readBundle(): Promise<{ readonly scriptId: string; readonly files: readonly string[] }> {
		await call("Debugger.enable");
		const sources = [];
		for (const scriptId of scripts.splice(0)) {
			const { scriptSource: text } = scriptSource.parse(await call("Debugger.getScriptSource", { scriptId }));
			sources.push({ scriptId, text });
		}
		await call("Debugger.disable");
		const bundle = sources.toSorted((a, b) => b.text.length - a.text.length)[0];
		let file = "";
		const files = (bundle?.text ?? "").split("\n").map((line) => {
			file = /^\s*\/\/ ([\w@./-]+\.(?:tsx?|m?js|cjs))$/.exec(line)?.[1] ?? file;
			return file;
		});
		return { scriptId: bundle?.scriptId ?? "", files };
	}
	const readMemoryMb = async () => {
		const { usedSize, embedderHeapUsedSize, backingStorageSize } = heapUsage.parse(await call("Runtime.getHeapUsage"));
		return (usedSize + embedderHeapUsedSize + backingStorageSize) / MB;
	};
	/** Makes a prototype for {@link Inspector.readUsedMb} to look for, which no object has. */
	async function makePrototype(): Promise<string> {
		await call("Runtime.enable");
		return evaluated.parse(await call("Runtime.evaluate", { expression: "({})", contextId })).result.objectId;
	}
	let prototype: Promise<string> | undefined;
	return {
		readMemoryMb,
		async readUsedMb() {
			prototype ??= makePrototype();
			const prototypeObjectId = await prototype;
			// Looking for objects collects garbage at once. The command that only collects waits until no code runs, and by then new garbage could
			// exist. Both commands are sent together, so that no code runs between them.
			const [, used] = await Promise.all([call("Runtime.queryObjects", { prototypeObjectId }), readMemoryMb()]);
			return used;
		},
		async profile(work) {
			await call("Profiler.enable");
			const { scriptId, files } = await readBundle();
			await call("Profiler.setSamplingInterval", { interval: SAMPLING_US });
			await call("Profiler.start");
			await work();
			const { profile } = profiled.parse(await call("Profiler.stop"));
			const times = new Map<number, number>();
			for (const [index, id] of profile.samples.entries()) times.set(id, (times.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0));
			return profile.nodes.map(({ id, callFrame: { functionName, lineNumber, ...frame } }) => ({
				file: frame.scriptId === scriptId ? (files[lineNumber] ?? null) : null,
				name: functionName === "" ? frame.url : functionName,
				microseconds: times.get(id) ?? 0,
			}));
		},
		close: () => socket.close(),
	};
}

interface Memory {
	/** The maximum before garbage was collected, in megabytes. It depends on when the runtime collects. */
	readonly withGarbageMb: number;
	/** The maximum right after garbage was collected, in megabytes: what the work really uses. */
	readonly liveMb: number;
}

/** Runs work, and measures the isolate's memory until it ends. Each measurement collects garbage, so the work takes longer. */
export async function watchMemory<Result>(
	inspector: Inspector,
	work: () => Promise<Result>,
): Promise<Memory & { readonly result: Result }> {
	let [withGarbageMb, liveMb, isOver] = [0, 0, false];
	const watching = (async () => {
		do {
			withGarbageMb = Math.max(withGarbageMb, await inspector.readMemoryMb());
			liveMb = Math.max(liveMb, await inspector.readUsedMb());
			await delay(POLL_MS);
		} while (!isOver);
	})();
	const result = await work().finally(() => {
		isOver = true;
	});
	await watching;
	return { result, withGarbageMb, liveMb };
}
