// The control prompt: harmless files. A model that cannot judge them is broken; otherwise the submission made it silent.
import type { JudgedFile, JudgeRequest } from "../../../ports/judge.ts";

const FILES: readonly JudgedFile[] = [
	{
		path: "SUBMISSION.md",
		isClaim: true,
		text: "# What I Built\nA function that adds the numbers of a list.\n\n# Tradeoffs\nIt reads the whole list into memory.\n",
	},
	{
		path: "src/sum.js",
		isClaim: false,
		text: "/** Adds the numbers of a list. */\nexport function sum(numbers) {\n\treturn numbers.reduce((total, number) => total + number, 0);\n}\n",
	},
];

/** The same task and criterion, about the platform's files. */
export function controlRequest({ task, criterion }: JudgeRequest): JudgeRequest {
	return { task, criterion, files: FILES, unreadPaths: [], missingSections: [], facts: [] };
}
