// Shows the output of the local runtime, without lines that repeat the platform's own log or never change.

const HELD_LINES = 40;
const TABLE_START = "Your Worker has access to the following bindings:";
const START_FAULTS = ["Build failed with", "The Workers runtime failed to start"];
const NOISE = [/^\[wrangler:info\] /, /^⎔ Connection status updated/];

export interface RuntimeLog {
	write(text: string): void;
	/** Returns the last lines that are held back. */
	heldBack(): string;
	/** Returns true if the code did not build or load. The runtime then waits for a change of the code. */
	hasStartFault(): boolean;
	/** Shows lines from now on as they come. */
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
		heldBack: () => held.split("\n").filter(isShown).slice(-HELD_LINES).join("\n").trim(),
		hasStartFault: () => START_FAULTS.some((fault) => held.includes(fault)),
		release: () => {
			isReleased = true;
			held = "";
		},
	};
}
