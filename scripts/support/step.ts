/** Runs one step of a command and prints one line: the step with its time, or its failure. Its fault ends the command. */
export async function step<T>(what: string, run: () => Promise<T>): Promise<T> {
	const startedAt = performance.now();
	try {
		const result = await run();
		console.log(`ok  ${what} (${Math.round(performance.now() - startedAt)} ms)`);
		return result;
	} catch (error) {
		console.log(`FAILED  ${what}`);
		throw error;
	}
}
