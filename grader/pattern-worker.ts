// A thread that matches the patterns of one test suite. Linear time can still be long, but a thread can be ended.
import { parentPort } from "node:worker_threads";
import * as z from "zod";
import { findPatternFault, matchesPattern } from "./patterns.ts";

const request = z.discriminatedUnion("kind", [
	z.object({ kind: z.literal("check"), patterns: z.array(z.string()) }),
	z.object({ kind: z.literal("match"), pattern: z.string(), text: z.string() }),
]);

parentPort?.once("message", (message: unknown) => {
	const asked = request.parse(message);
	parentPort?.postMessage(
		asked.kind === "match" ? matchesPattern(asked.pattern, asked.text) : asked.patterns.map((pattern) => findPatternFault(pattern)),
	);
});
