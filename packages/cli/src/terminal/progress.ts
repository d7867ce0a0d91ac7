// Shows progress on standard error, in one line that is redrawn. Without a terminal, draws nothing.
import { clean } from "./text.ts";

export interface ErrorStream {
	readonly isTTY?: boolean;
	readonly columns?: number;
	write(text: string): unknown;
}

const BAR_CELLS = 24;
const REDRAW_MS = 80;
const CLEAR_LINE = "\r\u001b[2K";

/** Draws one line of progress. Every method can be called at any time, and does nothing without a terminal. */
export class Progress {
	readonly #stream: ErrorStream;
	readonly #isOn: boolean;
	#drawn = "";
	#drawnAt = 0;

	constructor(stream: ErrorStream, isOn: boolean) {
		this.#stream = stream;
		this.#isOn = isOn && stream.isTTY === true;
	}

	/** Shows a label, and a bar if `total` is known. */
	show(label: string, { done, total }: { done: number; total: number } = { done: 0, total: 0 }): void {
		if (!this.#isOn) return;
		const isComplete = total > 0 && done >= total;
		const now = Date.now();
		if (!isComplete && now - this.#drawnAt < REDRAW_MS && this.#drawn.startsWith(label)) return;
		const line = total === 0 ? label : `${label} ${bar(done / total)} ${Math.floor((done / total) * 100)} %`;
		const text = clean(line).slice(0, (this.#stream.columns || 80) - 1);
		if (text === this.#drawn) return;
		this.#stream.write(CLEAR_LINE + text);
		this.#drawn = text;
		this.#drawnAt = now;
	}

	/** Removes the line, before other text or at the end. */
	clear(): void {
		if (this.#drawn !== "") this.#stream.write(CLEAR_LINE);
		this.#drawn = "";
	}
}

function bar(share: number): string {
	const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS);
	return `[${"#".repeat(full)}${".".repeat(BAR_CELLS - full)}]`;
}
