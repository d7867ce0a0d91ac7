// Prints "N passed, N failed" from vitest's JSON report. A test file that could not run counts as one failure,
// and so does a run that left no report.
import { readFileSync } from "node:fs";

function count(file) {
	try {
		const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(file, "utf8"));
		const broken = testResults.filter(
			({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
		);
		return { passed: numPassedTests, failed: numFailedTests + broken.length };
	} catch {
		return { passed: 0, failed: 1 };
	}
}

const { passed, failed } = count(process.argv[2]);
console.log(`${passed} passed, ${failed} failed`);
