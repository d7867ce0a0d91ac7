// Offers five tasks to begin with, each with a rubric, its checks and an example of what to attach.
import { type Draft, emptyCriterion } from "./draft.ts";

export interface Template {
	readonly id: string;
	readonly name: string;
	/** The text describes the template in one sentence, for the choice between them. */
	readonly text: string;
	/** The examples are files for a dry run, which shows how the judge scores before anyone competes. */
	readonly examples: string;
	readonly category: string;
	readonly title: string;
	readonly description: string;
	readonly inputSpec: string;
	readonly outputSpec: string;
	readonly criteria: readonly TemplateCriterion[];
}

interface TemplateCriterion {
	readonly name: string;
	readonly weight: number;
	readonly description: string;
	readonly checks: readonly string[];
	/** Documents count as proof if a document is the work. */
	readonly anyEvidence?: boolean;
}

export const TEMPLATES: readonly Template[] = [
	{
		id: "code",
		name: "Code",
		text: "A program, a library or a fix, with tests.",
		examples: "a solution that works, and one whose tests check nothing",
		category: "code",
		title: "Build …",
		description: "## Goal\n\nWhat the program does, for whom: …\n\n## Requirements\n\n- …\n- …\n\n## Not wanted\n\n- …",
		inputSpec: "What the program receives: files, arguments, requests, … Attach a sample.",
		outputSpec: "Source files that run with one command, and tests that run with another.",
		criteria: [
			{
				name: "Behaviour",
				weight: 50,
				description: "The program does what the requirements say, for usual input and at the edges.",
				checks: [
					"Does the source implement each requirement of the description?",
					"Does it handle empty input?",
					"Does it report faulty input with a message that names the fault?",
				],
			},
			{
				name: "Tests",
				weight: 30,
				description: "Tests cover the requirements, and would fail if the program were wrong.",
				checks: ["Is there a test for each requirement?", "Does a test cover faulty input?", "Do the tests assert results?"],
			},
			{
				name: "Structure",
				weight: 20,
				description: "Someone else can change the program: names say what things are, and nothing is written twice.",
				checks: ["Do functions have one purpose each?", "Do names say what a function returns or does?"],
			},
		],
	},
	{
		id: "data",
		name: "Data",
		text: "Clean, merge or extract data into one format.",
		examples: "a complete result, and one with duplicate rows",
		category: "data",
		title: "Merge … into one table",
		description:
			"## Sources\n\nWhere the data comes from, and what each column means: …\n\n## Rules\n\n- Which rows count: …\n- Which row wins if two contradict: …",
		inputSpec: "The attached files, and their columns with units.",
		outputSpec: "One CSV file with the columns …, sorted by …, and the script that makes it from the input.",
		criteria: [
			{
				name: "Correct rows",
				weight: 50,
				description: "The result has every row that counts, once, with correct values.",
				checks: ["Does the result have all required columns?", "Is each row of the input accounted for?", "Is every row unique?"],
			},
			{
				name: "Repeatable",
				weight: 30,
				description: "A script makes the result from the input, with no step by hand.",
				checks: ["Is there a script that reads the input?", "Does the script write the result?"],
			},
			{
				name: "Doubtful cases",
				weight: 20,
				description: "A report lists the rows that were dropped or changed, each with its reason.",
				checks: ["Is there a list of dropped rows?", "Does each entry have a reason?"],
				anyEvidence: true,
			},
		],
	},
	{
		id: "writing",
		name: "Writing",
		text: "An article, a guide or documentation.",
		examples: "a text that you like, and one that only sounds good",
		category: "writing",
		title: "Write a guide to …",
		description: "## Readers\n\nWho reads it, and what they know already: …\n\n## Must cover\n\n- …\n- …\n\n## Tone\n\nPlain and precise.",
		inputSpec: "Sources, a style guide, and facts that must be used: …",
		outputSpec: "One Markdown file of 1,200 to 1,800 words.",
		criteria: [
			{
				name: "Coverage",
				weight: 40,
				description: "The text covers every point of the list, in an order that the readers can follow.",
				checks: ["Is every required point covered?", "Does the text have 1,200 to 1,800 words?"],
				anyEvidence: true,
			},
			{
				name: "Accuracy",
				weight: 35,
				description: "Statements of fact are correct and name their source.",
				checks: ["Does each number have a source?", "Do statements agree with the sources given?"],
				anyEvidence: true,
			},
			{
				name: "Clarity",
				weight: 25,
				description: "The readers named above understand each paragraph at first reading. Terms are explained where they appear.",
				checks: ["Is each term explained at its first use?", "Does each paragraph have one topic?"],
				anyEvidence: true,
			},
		],
	},
	{
		id: "research",
		name: "Research",
		text: "A conclusion about a question, with evidence.",
		examples: "a report with evidence, and one that only asserts",
		category: "research",
		title: "Find out whether …",
		description:
			"## Question\n\nOne sentence that ends with a question mark: …\n\n## Why\n\nWhat depends on it: …\n\n## Known already\n\n- …",
		inputSpec: "Sources that must be considered: …",
		outputSpec: "A report in Markdown: conclusion, evidence, limits, sources. Data and scripts as files.",
		criteria: [
			{
				name: "Conclusion",
				weight: 30,
				description: "The report gives a conclusion about the question, and says how sure it is.",
				checks: ["Does the first section give a conclusion about the question?", "Does it say how sure the conclusion is?"],
				anyEvidence: true,
			},
			{
				name: "Evidence",
				weight: 45,
				description: "Each claim names its source or the data it follows from, so that a reader can check it.",
				checks: ["Does each claim have a source or data?", "Are contradicting sources named?", "Are the data included as files?"],
				anyEvidence: true,
			},
			{
				name: "Limits",
				weight: 25,
				description: "The report says what it did not look at, and what would change the conclusion.",
				checks: ["Is there a section on limits?", "Does it name what would change the conclusion?"],
				anyEvidence: true,
			},
		],
	},
	{
		id: "design",
		name: "Design",
		text: "A page, an icon or an interface, as files.",
		examples: "a page that you like, and one that breaks at 390 pixels",
		category: "design",
		title: "Design …",
		description:
			"## What\n\nWhat is designed, and where it will be used: …\n\n## Brand\n\nColours, typeface, examples that you like: …\n\n## Must have\n\n- …",
		inputSpec: "The present design, and the brand's files.",
		outputSpec: "HTML and CSS, or SVG, that open in a browser without a build.",
		criteria: [
			{
				name: "Requirements",
				weight: 40,
				description: "Every element of the list is there, and looks as the brand says.",
				checks: ["Is every required element in the files?", "Do colours match the brand?"],
			},
			{
				name: "Sizes",
				weight: 30,
				description: "The layout works at 390 and at 1280 pixels without scrolling sideways.",
				checks: ["Are there rules for narrow screens?", "Do images scale with their container?"],
			},
			{
				name: "Accessibility",
				weight: 30,
				description: "Text has enough contrast, images have alternatives, and controls work by keyboard.",
				checks: ["Do images have alternative texts?", "Do controls have labels?", "Is focus visible?"],
			},
		],
	},
];

/** Fills a draft from a template. Budget, deadline and the terms stay unchanged. */
export function applyTemplate(draft: Draft, template: Template, newKey: () => string): Draft {
	const { category, title, description, inputSpec, outputSpec } = template;
	const criteria = template.criteria.map(({ name, weight, description: sought, checks, anyEvidence = false }) => ({
		...emptyCriterion(newKey()),
		name,
		weight: String(weight),
		description: sought,
		checks: checks.join("\n"),
		anyEvidence,
	}));
	return { ...draft, category, title, description, inputSpec, outputSpec, criteria };
}
