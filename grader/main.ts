// The grader as a program: its settings come from the environment, and standard output gets one line, the address where it answers.
import { StartFault, startGrader } from "./program.ts";

/** Between asking all jobs to stop and leaving all the same. Whoever starts the grader next cleans up then. */
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
