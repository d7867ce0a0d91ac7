// Writes the SUBMISSION.md of `bounty init`, with the sections that the platform expects, and the rubric to work by.
import type { Schemas } from "../core/sdk.ts";
import { clean } from "../terminal/text.ts";

type Task = Pick<Schemas["TaskDetail"], "title" | "criteria">;

const SECTIONS: readonly (readonly [title: string, hint: string])[] = [
	["What I Built", "Describe the result in two or three sentences."],
	["How To Run", "List the commands, in order."],
	["Architecture", "Name the main files and what they do."],
	["What Works", "For each criterion, say where the judge finds it:"],
	["Known Limitations", "Say what is missing."],
	["Tradeoffs", "Say what you chose against, and why."],
];

/** Returns a comment of Markdown, so that hints do not count as content. */
function comment(text: string): string {
	return `<!-- ${text.replaceAll("--", "- -")} -->`;
}

/** Returns the text of a SUBMISSION.md for a task. */
export function makeSubmissionText({ title, criteria }: Task): string {
	const parts = SECTIONS.flatMap(([name, hint]) => [
		`## ${name}`,
		"",
		comment(hint),
		...(name === "What Works" ? criteria.map(describeCriterion) : []),
		"",
	]);
	return [`# ${oneLine(title)}`, "", ...parts].join("\n");
}

function describeCriterion({ name, weight, description }: Task["criteria"][number]): string {
	const text = description === null ? "" : `: ${oneLine(description)}`;
	return `- **${oneLine(name)}** (${weight} %) ${comment(`criterion${text}`)}`;
}

function oneLine(text: string): string {
	return clean(text).replace(/\s+/g, " ").trim();
}
