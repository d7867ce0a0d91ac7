// Five templates, each with a rubric, checks and an example task. console/examples/ has submissions to the example tasks.
import { type Draft, emptyCriterion } from "./draft.ts";
import { findTemplateId } from "./template-criteria.ts";

export interface Template {
	readonly id: string;
	readonly name: string;
	/** One sentence that helps to choose a template. */
	readonly text: string;
	/** What the two example submissions are, such as "a parser for durations". */
	readonly example: string;
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
	/** True if documents count as proof, because the submission itself is a document. */
	readonly anyEvidence?: boolean;
}

export const TEMPLATES: readonly Template[] = [
	{
		id: "code",
		name: "Code",
		text: "A program, a library or a fix, with tests.",
		example: "a duration parser with tests, and another whose tests check nothing",
		category: "code",
		title: "Build …",
		description: [
			"## Goal\n\nWhat the program does, and for whom: … (Example: reads durations such as `1h 30m`, for a time tracker.)",
			"## Requirements\n\n- … (Example: `1h 30m` becomes 90 minutes.)\n- … (Example: empty input gives 0 minutes; invalid input gives an error that says what is wrong.)",
			"## Not wanted\n\n- … (Example: dependencies.)",
		].join("\n\n"),
		inputSpec: "What the program receives: files, arguments, requests, … Attach a sample.",
		outputSpec: "Source files that run with one command, and tests that run with another.",
		criteria: [
			{
				name: "Behaviour",
				weight: 50,
				description: "The program does what the requirements say, for typical input and edge cases.",
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
				description: "Others can change the program: names say what things are, and nothing is duplicated.",
				checks: ["Does each function have one purpose?", "Do the names of functions say what they return or do?"],
			},
		],
	},
	{
		id: "data",
		name: "Data",
		text: "Clean, merge or extract data into one format.",
		example: "two price lists merged by a script, and a table with duplicate rows",
		category: "data",
		title: "Merge … into one table",
		description: [
			"## Sources\n\nWhere the data comes from, and what each column means: … (Example: the price lists of two shops, with sku, name, price in euros and date.)",
			"## Rules\n\n- Which rows count: … (Example: those with a price.)\n- Which row wins if two contradict each other: … (Example: the one with the later date.)",
		].join("\n\n"),
		inputSpec: "The attached files, and their columns with units.",
		outputSpec:
			"One CSV file with the columns …, sorted by …, and the script that makes it from the input. (Example: sku, name, price_eur, sorted by sku.)",
		criteria: [
			{
				name: "Correct rows",
				weight: 50,
				description: "The result contains every row that counts, exactly once and with correct values.",
				checks: ["Does the result have all required columns?", "Is each row of the input accounted for?", "Is every row unique?"],
			},
			{
				name: "Repeatable",
				weight: 30,
				description: "A script makes the result from the input, without manual steps.",
				checks: ["Is there a script that reads the input?", "Does the script write the result?"],
			},
			{
				name: "Doubtful cases",
				weight: 20,
				description: "A report lists the rows that were dropped or changed, with the reason for each.",
				checks: ["Is there a list of dropped rows?", "Does each entry have a reason?"],
				anyEvidence: true,
			},
		],
	},
	{
		id: "writing",
		name: "Writing",
		text: "An article, a guide or documentation.",
		example: "a plain guide to backups, and one that only sounds good",
		category: "writing",
		title: "Write a guide to …",
		description: [
			"## Readers\n\nWho reads it, and what they already know: … (Example: people with a laptop who have never made a backup.)",
			"## Must cover\n\n- … (Example: what to copy, and what to leave out.)\n- … (Example: where to keep the copy, how to make it, and how to test it.)",
			"## Tone\n\nPlain and precise.",
		].join("\n\n"),
		inputSpec: "Sources, a style guide, and facts that must be used: …",
		outputSpec: "One Markdown file of … words. (Example: 350 to 450.)",
		criteria: [
			{
				name: "Coverage",
				weight: 40,
				description: "The text covers every point on the list, in an order that the readers can follow.",
				checks: ["Does the text cover each point that the task lists?", "Are the points in an order that readers can follow?"],
				anyEvidence: true,
			},
			{
				name: "Accuracy",
				weight: 35,
				description: "Statements of fact are correct and name their source.",
				checks: ["Does each number name its source?", "Does the text list its sources?"],
				anyEvidence: true,
			},
			{
				name: "Clarity",
				weight: 25,
				description:
					"The readers that the task names understand each paragraph on first reading. Terms are explained where they first appear.",
				checks: ["Is each term explained at its first use?", "Does each section have one topic, which its heading names?"],
				anyEvidence: true,
			},
		],
	},
	{
		id: "research",
		name: "Research",
		text: "An answer to a question, with evidence.",
		example: "a report with measurements, and one that only makes claims",
		category: "research",
		title: "Find out whether …",
		description: [
			"## Question\n\nOne sentence that ends with a question mark: … (Example: Is Brotli smaller than gzip for JSON, at a similar speed?)",
			"## Why\n\nWhat depends on the answer: … (Example: which one our server uses.)",
			"## Already known\n\n- … (Example: every browser supports both.)",
		].join("\n\n"),
		inputSpec: "Sources that must be considered: …",
		outputSpec: "A report in Markdown: conclusion, evidence, limits, sources. Data and scripts as files.",
		criteria: [
			{
				name: "Conclusion",
				weight: 30,
				description: "The report answers the question, and says how sure the answer is.",
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
		example: "a page that fits a phone, and one that breaks at 390 pixels",
		category: "design",
		title: "Design …",
		description: [
			"## What\n\nWhat you need, and where it will be used: … (Example: a page to book a table, on phones and laptops.)",
			"## Brand\n\nColours, typeface, examples that you like: … (Example: #14532d on #fefce8, Georgia.)",
			"## Must have\n\n- … (Example: a picture, the opening hours, and a form that asks for the date and the number of people.)",
		].join("\n\n"),
		inputSpec: "The current design, and the brand's files.",
		outputSpec: "HTML and CSS files, or SVG files, that open in a browser without a build step.",
		criteria: [
			{
				name: "Requirements",
				weight: 40,
				description: "Every element on the list is there and matches the brand.",
				checks: ["Is every required element in the files?", "Does the page use the colours and the typeface of the brand?"],
			},
			{
				name: "Sizes",
				weight: 30,
				description: "The layout works at 390 and at 1280 pixels without horizontal scrolling.",
				checks: [
					"Is there a layout for narrow screens, using a media query or a grid?",
					"Is the width of images bound to their container?",
				],
			},
			{
				name: "Accessibility",
				weight: 30,
				description: "Text has enough contrast, images have alternative texts, and controls work with the keyboard.",
				checks: ["Do images have an alt text?", "Does each input have a label?", "Is focus visible?"],
			},
		],
	},
];

/** Fills a draft from a template. The budget, the deadline and the other terms stay unchanged. */
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

/** Finds the template that a rubric comes from. */
export function findTemplate(criteria: Parameters<typeof findTemplateId>[0]): Template | null {
	const id = findTemplateId(criteria);
	return TEMPLATES.find((template) => template.id === id) ?? null;
}
