/** Writes log lines. Each is a JSON object with an event name and facts. Callers never pass a secret, or the body of a request. */
export interface Log {
	info(event: string, facts?: LogFacts): void;
	error(event: string, facts?: LogFacts): void;
}

export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const consoleLog: Log = {
	info: (event, facts) => console.log(JSON.stringify({ level: "info", event, ...facts })),
	error: (event, facts) => console.error(JSON.stringify({ level: "error", event, ...facts })),
};

const MAX_GROUP_LENGTH = 160;

/**
 * Returns an error's message without the parts that differ each time, such as ids, numbers and quoted text, so that readers of the log can
 * group errors of the same kind.
 */
function groupOf(text: string): string {
	return text
		.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\b[0-9a-f]{16,}\b|\d+|"[^"]*"|'[^']*'/gi, "…")
		.replace(/\s+/g, " ")
		.slice(0, MAX_GROUP_LENGTH);
}

/** Describes a thrown value for the log: `error` is its name and message, and errors of the same kind have the same `group`. */
export function describeError(error: unknown): { error: string; group: string; stack?: string } {
	if (!(error instanceof Error)) return { error: String(error), group: groupOf(String(error)) };
	const cause = error.cause instanceof Error ? ` (cause: ${error.cause.message})` : "";
	const text = `${error.name}: ${error.message}${cause}`;
	const described = { error: text, group: groupOf(text) };
	return error.stack === undefined ? described : { ...described, stack: error.stack };
}
