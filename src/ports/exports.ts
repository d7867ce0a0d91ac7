import type { ExportFormat } from "../domain/export-formats.ts";
import type { EvalMode } from "../domain/modes.ts";

/** What a part of a task's export has. The caller has checked that the reader owns the task. */
export interface ExportPart {
	readonly taskId: string;
	readonly format: ExportFormat;
	/** Names of the rubric's criteria, in its order. */
	readonly criteria: readonly string[];
	readonly scoring: { readonly evalMode: EvalMode; readonly llmWeight: number };
	/** Only submissions with smaller ids, which are older ones; null for the first part. */
	readonly before: string | null;
}

export interface WrittenPart {
	readonly lines: ReadableStream<Uint8Array>;
	/** Where the next part begins; null after the last one. */
	readonly next: string | null;
}

/** The response header of the object that writes a part with {@link WrittenPart.next}; absent after the last part. */
export const NEXT_PART = "X-Next-Part";
