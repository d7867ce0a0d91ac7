// Compares the numbers in documents, the console and the doors with the code that owns them.
import { globSync } from "node:fs";
import { expect, it } from "vitest";
import { PROJECT_ROOT } from "../support/samples.ts";
import { readProjectFile } from "./sources.ts";
import { FREE, MEASURED, STATED } from "./stated-numbers.ts";

const PROSE = ["*.md", "docs/*.md", "docs/{agents,architecture}/*.md", "docs/pages/**/*.mdx", "packages/*/README.md"];
const PROGRAMS = ["console/src/**/*.tsx", "src/features/doors/{pages,mcp,site}/*.{ts,tsx}", "packages/{cli,action}/src/**/*.ts"];
const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;
/** A number that one of these words follows, directly or after one other word, is a limit or a count of the platform. */
const UNITS = [
	...["[KMG]i?B", "bytes", "characters", "files", "submissions", "tools", "events", "operations", "endpoints", "settings"],
	...["days?", "hours?", "minutes?", "seconds?", "requests", "entries", "keys", "webhooks", "evaluations", "attempts", "deliveries"],
	...["points", "criteria", "drafts", "questions", "attachments", "tokens", "streams", "cases", "times", "a minute", "per minute", "a day"],
];
const STATEMENT = new RegExp(String.raw`(?<![\w.,$+/^×-])(${NUMBER})\s(?:[a-z]+ )?(?:${UNITS.join("|")})\b`, "g");

interface Document {
	readonly path: string;
	readonly text: string;
}

const documents: readonly Document[] = [
	...globSync(PROSE, { cwd: PROJECT_ROOT }).map((path) => ({ path, text: blank(readProjectFile(path), /^```.*?^```\s*$/gms) })),
	...globSync(PROGRAMS, { cwd: PROJECT_ROOT }).map((path) => ({
		path,
		text: blank(readProjectFile(path), /\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gs),
	})),
].filter(({ path }) => !MEASURED.includes(path));

/** Replaces fenced code and comments by spaces, so that places in the text stay the same. */
function blank(text: string, what: RegExp): string {
	return text.replace(what, (found) => found.replace(/[^\n]/g, " "));
}

interface Occurrence extends Document {
	/** The place of each number in the text. */
	readonly places: readonly number[];
	readonly numbers: readonly number[];
}

/** Finds a phrase in the text. Each `#` of it is a number, and a space is any white space. */
function find(phrase: string): Occurrence[] {
	const pattern = RegExp.escape(phrase)
		.replaceAll(/\\x20| /g, "\\s+")
		.replaceAll(/\\?#|\\x23/g, `(${NUMBER})`);
	return documents.flatMap(({ path, text }) =>
		[...text.matchAll(new RegExp(`(?<![\\w,.])${pattern}`, "gd"))].map((match) => ({
			path,
			text,
			places: (match.indices ?? []).slice(1).flatMap((range) => range?.[0] ?? []),
			numbers: match.slice(1).map((found) => Number(found.replaceAll(",", ""))),
		})),
	);
}

const stated = STATED.flatMap(([values, ...phrases]) => phrases.map((phrase) => ({ values, phrase, found: find(phrase) })));
const free = FREE.map(([phrase, reason]) => ({ phrase, reason, found: find(phrase) }));

it("numbers in documents, console and doors are those of the code", () => {
	const wrong = stated.flatMap(({ values, phrase, found }) =>
		found
			.filter(({ numbers }) => numbers.join() !== [values].flat().join())
			.map(({ path, numbers }) => `${path}: "${phrase}" says ${numbers}, not ${values}`),
	);
	expect(wrong).toEqual([]);
});

it("each phrase of the tables occurs in a text", () => {
	expect([...stated, ...free].filter(({ found }) => found.length === 0).map(({ phrase }) => phrase)).toEqual([]);
});

it("each number of the platform is compared, or exempt for a reason", () => {
	const known = new Set(
		[...stated, ...free].flatMap(({ found }) => found.flatMap(({ path, places }) => places.map((place) => `${path} ${place}`))),
	);
	const unknown = documents.flatMap(({ path, text }) =>
		[...text.matchAll(STATEMENT)]
			.filter(({ index }) => !known.has(`${path} ${index}`))
			.map(
				({ index }) =>
					`${path}:${text.slice(0, index).split("\n").length} …${text.slice(Math.max(0, index - 40), index + 40).replaceAll(/\s+/g, " ")}…`,
			),
	);
	expect(unknown).toEqual([]);
});
