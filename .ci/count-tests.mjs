// Prints what failed, with its error, and then "N passed, N failed", from the JSON reports of vitest. A test file that could not run
// counts as one failure, and so does a run that left no report. The failures are printed once more because people read the end of a long
// log first.
import { readFileSync } from "node:fs";

/** The first lines of an error, which name the assertion and the two values. */
const HEAD_LINES = 12;

const head = (message) => (message ?? "").split("\n").slice(0, HEAD_LINES).join("\n  ");

function read(file) {
	try {
		const { numPassedTests, testResults } = JSON.parse(readFileSync(file, "utf8"));
		const failures = testResults.flatMap(({ name, status, message, assertionResults }) => {
			const tests = assertionResults.filter((test) => test.status === "failed");
			const broken = status === "failed" && tests.length === 0;
			return broken
				? [`${name}: did not run to its end\n  ${head(message)}`]
				: tests.map((test) => `${name}: ${test.fullName}\n  ${head(test.failureMessages?.[0])}`);
		});
		return { passed: numPassedTests, failures };
	} catch (error) {
		return { passed: 0, failures: [`${file}: no report, ${error}`] };
	}
}

const runs = process.argv.slice(2).map(read);
const failures = runs.flatMap((run) => run.failures);
for (const failure of failures) {
	console.log(`FAILED ${failure}`);
}
console.log(`${runs.reduce((total, { passed }) => total + passed, 0)} passed, ${failures.length} failed`);
