// Shows the output of the local runtime, except lines that repeat the platform's own log or never change.

const HELD_LINES = 40;
const TABLE_START = "Your Worker has access to the following bindings:";
const START_FAULTS = ["Build failed with", "The Workers runtime failed to start"];
const NOISE = [/^\[wrangler:info\] /, /^⎔ Connection status updated/];

export interface RuntimeLog {
	write(text: string): void;
	/** Returns the last lines that are held back. */
	heldBack(): string;
	/** Returns true if the code could not be built or loaded. The runtime then waits until the code changes. */
	hasStartFault(): boolean;
	/** Shows all further lines as they arrive. */
	release(): void;
}

/** Holds all lines back until they are released, because a successful start needs no output. */
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
