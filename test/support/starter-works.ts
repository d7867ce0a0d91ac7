// Works that begin with the same long starter files, as on a task that asks for a fix in a repository.
import { type ContributedWork, compareContributions } from "../../src/features/competition/similarity/contribution.ts";
import { shinglesOfFiles, signFiles, type TextFile } from "../../src/features/competition/similarity/signature.ts";
import { type Random, seeded } from "./farming.ts";

const STARTER_LINES = 2099;
const PATCH_LINES = 41;

function lines(count: number, random: Random): string {
	const word = () => `name${Math.floor(random() * 20_000)}`;
	return Array.from({ length: count }, () => `const ${word()} = ${word()}(${word()}, ${word()});`).join("\n");
}

export const STARTER: TextFile = { path: "main.js", text: lines(STARTER_LINES, seeded(1)) };
const STARTER_SHINGLES = shinglesOfFiles([STARTER]);

interface Begun {
	/** Works of equal numbers have the same patch. */
	readonly patch: number;
	/** A few words that make copies differ. */
	readonly tweak?: string;
	/** The poster has marked the starter files. */
	readonly isMarked: boolean;
}

/** The starter files with a patch in their middle. */
export function workFromStarter(submissionId: string, { patch, tweak = "", isMarked }: Begun): ContributedWork {
	const rows = STARTER.text.split("\n");
	const half = Math.floor(rows.length / 2);
	const text = [...rows.slice(0, half), lines(PATCH_LINES, seeded(1000 + patch)), tweak, ...rows.slice(half)].join("\n");
	const files = [{ path: "main.js", text }];
	return { submissionId, sketch: signFiles(files, isMarked ? STARTER_SHINGLES : new Set()).sketch };
}

/** The ids of the works that count as the same as each one. */
export function twinsAmong(works: readonly ContributedWork[]): Readonly<Record<string, readonly string[]>> {
	const findTwins = compareContributions(works);
	return Object.fromEntries(works.map(({ submissionId }) => [submissionId, findTwins(submissionId)]));
}
