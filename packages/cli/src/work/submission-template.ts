// Writes the SUBMISSION.md of `bounty init`, with the sections that the platform expects and the rubric as a guide.
import { type Schemas, SECTION_HINTS, SUBMISSION_SECTIONS } from "../core/sdk.ts";
import { clean } from "../terminal/text.ts";

type Task = Pick<Schemas["TaskDetail"], "title" | "criteria">;

/** Returns a Markdown comment, so that hints do not count as content. */
function comment(text: string): string {
	return `<!-- ${text.replaceAll("--", "- -")} -->`;
}

export function makeSubmissionText({ title, criteria }: Task): string {
	const parts = SUBMISSION_SECTIONS.flatMap((name) => [
		`## ${name}`,
		"",
		comment(SECTION_HINTS[name]),
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
