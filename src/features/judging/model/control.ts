// The control prompt has harmless files of the same size. A model that cannot judge them is at fault; otherwise the submission is.
import type { JudgeRequest, WorkFile, WorkFiles } from "../../../ports/judge.ts";

/** The programs are small and of different shape, so that judging them takes some thought. */
const FUNCTIONS: readonly ((n: number) => string)[] = [
	(n) =>
		`/** Adds the numbers of a list, from position ${n} on. */\nexport function sum${n}(numbers) {\n\treturn numbers.slice(${n}).reduce((total, number) => total + number, 0);\n}\n`,
	(n) =>
		`/** Finds the first word that is longer than ${n} letters. */\nexport function findLongWord${n}(text) {\n\tfor (const word of text.split(" ")) {\n\t\tif (word.length > ${n}) return word;\n\t}\n\treturn null;\n}\n`,
	(n) =>
		`/** Groups values by their remainder when divided by ${n + 2}. */\nexport function group${n}(values) {\n\tconst groups = new Map();\n\tfor (const value of values) {\n\t\tconst rest = value % ${n + 2};\n\t\tgroups.set(rest, [...(groups.get(rest) ?? []), value]);\n\t}\n\treturn groups;\n}\n`,
	(n) =>
		`/** Repeats a step ${n + 1} times, and stops when it changes nothing. */\nexport function settle${n}(value, step) {\n\tlet current = value;\n\tfor (let round = 0; round <= ${n}; round += 1) {\n\t\tconst next = step(current);\n\t\tif (next === current) break;\n\t\tcurrent = next;\n\t}\n\treturn current;\n}\n`,
];

const CLAIM = "# What I Built\nSmall functions for lists and texts.\n\n# Tradeoffs\nThey read whole lists into memory.\n";

/** Returns the same task and criterion, about files of the platform. */
export function controlRequest({ task, criterion, samples: _, ...submitted }: JudgeRequest): JudgeRequest {
	return { task, criterion, ...controlFiles(submitted), missingSections: [], facts: [] };
}

/** Returns files of the platform that have the lengths of a submission's files. */
export function controlFiles(submitted: WorkFiles): WorkFiles {
	const files = submitted.files.map((file, index): WorkFile => {
		const path = file.isClaim ? `docs/part-${index}.md` : `src/part-${index}.js`;
		return {
			path,
			isClaim: file.isClaim,
			text: file.isClaim ? fillWith(file.text.length, () => CLAIM) : programOf(file.text.length, index),
		};
	});
	return { files, unreadPaths: [] };
}

function programOf(length: number, index: number): string {
	return fillWith(length, (n) => FUNCTIONS[(index + n) % FUNCTIONS.length]?.(index + n) ?? "");
}

/** Puts parts in a row, cut at the length. */
function fillWith(length: number, partOf: (n: number) => string): string {
	const parts: string[] = [];
	for (let left = length; left > 0; left -= parts.at(-1)?.length ?? left) parts.push(partOf(parts.length));
	return parts.join("\n").slice(0, length);
}
