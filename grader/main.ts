// The grader's entry point. It reads its settings from the environment and prints one line, its URL.
import { StartFault, startGrader } from "./program.ts";

/** How long the jobs may take to stop before the process exits, in milliseconds. The next grader that starts removes their leftovers. */
const STOP_LIMIT_MS = 60_000;

try {
	const grader = await startGrader(process.env, (error) => console.error(error));
	const stop = async () => {
		setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref();
		await grader.stop();
		process.exit(0);
	};
	for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, stop);
	console.log(grader.url);
} catch (error) {
	console.error(error instanceof StartFault ? error.message : error);
	process.exitCode = 1;
}
