/** Writes log lines. Each is a JSON object with an event name and facts, and never has a secret or a body. */
export interface Log {
	info(event: string, facts?: LogFacts): void;
	error(event: string, facts?: LogFacts): void;
}

export type LogFacts = Readonly<Record<string, string | number | boolean | null | undefined>>;

export const consoleLog: Log = {
	info: (event, facts) => console.log(JSON.stringify({ level: "info", event, ...facts })),
	error: (event, facts) => console.error(JSON.stringify({ level: "error", event, ...facts })),
};

/** Describes a thrown value for the log: its name, message and stack. */
export function describeError(error: unknown): { error: string; stack?: string } {
	if (!(error instanceof Error)) return { error: String(error) };
	const cause = error.cause instanceof Error ? ` (cause: ${error.cause.message})` : "";
	const text = `${error.name}: ${error.message}${cause}`;
	return error.stack === undefined ? { error: text } : { error: text, stack: error.stack };
}
