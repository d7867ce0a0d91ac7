// Runs one benchmark by name: npm run bench -- routes. Each is a file in test/bench that exports `run`.
import { readdir } from "node:fs/promises";

// The local runtime would log a line for each queue message.
process.env["WRANGLER_LOG"] ??= "error";

const folder = new URL("../test/bench/", import.meta.url);
const names = (await readdir(folder.pathname)).filter((file) => file.endsWith(".bench.ts")).map((file) => file.replace(/\.bench\.ts$/, ""));
const [name = "", ...rest] = process.argv.slice(2);

if (names.includes(name)) {
	const benchmark: { run(args: readonly string[]): Promise<void> } = await import(new URL(`${name}.bench.ts`, folder).href);
	await benchmark.run(rest);
} else {
	console.error(`Usage: npm run bench -- <name>. There are: ${names.toSorted().join(", ")}.`);
	process.exitCode = 1;
}
