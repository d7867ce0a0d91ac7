// Stores the platform's log lines in memory. Vitest would send each line to another process, even for tests that pass, which takes a fifth
// of the time of many tests. Test files share a worker, which loads this file once.
const MOST_LINES = 200;
const lines: string[] = [];
const print = console.log;

for (const name of ["log", "error"] as const) {
	const original = console[name];
	console[name] = (...parts: unknown[]) => {
		const [line] = parts;
		if (typeof line !== "string" || !line.startsWith('{"level":')) return original(...parts);
		lines.push(line);
		if (lines.length > MOST_LINES) lines.shift();
	};
}

export function forgetLines(): void {
	lines.length = 0;
}

export function printLines(): void {
	if (lines.length > 0) print(lines.join("\n"));
}
