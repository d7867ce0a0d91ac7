// Writes what the GitHub Action reports: the outputs, and the job summary with one line for each criterion.
// Arguments: the file with the submission that `bounty submit --json` has printed. The file is empty if nothing was submitted.
import { appendFileSync, readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8").trim();
const submission = text === "" ? null : JSON.parse(text);
const score = submission?.scores?.final_score ?? "";

appendFileSync(process.env.GITHUB_OUTPUT, `submission-id=${submission?.id ?? ""}\nscore=${score}\n`);
appendFileSync(process.env.GITHUB_STEP_SUMMARY, `${summarize()}\n`);

function summarize() {
	if (submission === null) return "## Bounty\n\nNothing was submitted. The log of the step says why.";
	const { id, task_id: taskId, status, position, dimensions = [], error_message: error } = submission;
	const heading = score === "" ? `## Bounty: ${escapeCell(status)}` : `## Bounty: ${score} of 100`;
	const rows = dimensions.map(({ criterion_name: name, score: points, weight }) => `| ${escapeCell(name)} | ${points} | ${weight} % |`);
	return [
		heading,
		"",
		...(error === undefined ? [] : [escapeCell(error), ""]),
		...(rows.length === 0 ? [] : ["| Criterion | Score | Weight |", "|---|---:|---:|", ...rows, ""]),
		`Submission \`${id}\` to task \`${taskId}\`${typeof position === "number" ? `, rank ${position}` : ""}.`,
	].join("\n");
}

/** A poster's text must not become a link, markup or another row. */
function escapeCell(value) {
	return String(value)
		.replace(/\s+/g, " ")
		.replace(/[\\`*_{}[\]()#+!|<>~&@-]/g, (character) => `&#${character.charCodeAt(0)};`);
}
