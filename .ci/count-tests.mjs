// Prints "N passed, N failed" from the JSON reports of vitest. A test file that could not run counts as one failure,
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

const counts = process.argv.slice(2).map(count);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
console.log(`${sum(counts.map(({ passed }) => passed))} passed, ${sum(counts.map(({ failed }) => failed))} failed`);
