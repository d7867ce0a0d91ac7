// What the local runtime writes, without what only repeats the platform's own log lines or never changes.

const TABLE_START = "Your Worker has access to the following bindings:";
const BUILD_FAULT = "Build failed with";
const NOISE = [/^\[wrangler:info\] /, /^⎔ Connection status updated/];

export interface RuntimeLog {
	write(text: string): void;
	/** Everything so far, unfiltered, while the log is held back. */
	heldBack(): string;
	/** Whether the code did not build, after which the runtime only waits for somebody to change it. */
	hasBuildFault(): boolean;
	/** From here on, lines are shown as they come. */
	release(): void;
}

/** Holds everything back until it is released, because a start that succeeds needs no words. */
export function createRuntimeLog(show: (text: string) => void): RuntimeLog {
	let held = "";
	let rest = "";
	let isReleased = false;
	let isInTable = false;
	const isShown = (line: string): boolean => {
		if (line.startsWith(TABLE_START)) isInTable = true;
		const isHidden = isInTable || NOISE.some((pattern) => pattern.test(line));
		if (line.trim() === "") isInTable = false;
		return !isHidden;
	};
	return {
		write(text) {
			if (!isReleased) {
				held += text;
				return;
			}
			const lines = (rest + text).split("\n");
			rest = lines.pop() ?? "";
			for (const line of lines) if (isShown(line)) show(`${line}\n`);
		},
		heldBack: () => held.trim(),
		hasBuildFault: () => held.includes(BUILD_FAULT),
		release: () => {
			isReleased = true;
			held = "";
		},
	};
}
