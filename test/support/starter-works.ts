// Provides works that begin with the same long starter files, as on a task that asks for a fix in a repository.
import { shareJudgements } from "../../src/features/competition/final-round/rules.ts";
import { signFiles, type TextFile } from "../../src/features/competition/similarity/signature.ts";
import { compareContributions } from "../../src/features/competition/similarity/signed-work.ts";
import { FINAL_SAMPLES, judge, type Random, seeded } from "./farming.ts";

const STARTER_LINES = 2099;
const PATCH_LINES = 41;

function lines(count: number, random: Random): string {
	const word = () => `name${Math.floor(random() * 20_000)}`;
	return Array.from({ length: count }, () => `const ${word()} = ${word()}(${word()}, ${word()});`).join("\n");
}

const STARTER: TextFile = { path: "main.js", text: lines(STARTER_LINES, seeded(1)) };

interface Begun {
	/** Works of equal numbers have the same patch. */
	readonly patch: number;
	/** A few words make copies differ. */
	readonly tweak?: string;
}

type ContributedWork = Parameters<typeof compareContributions>[0][number];

/** Returns the starter files with a patch in their middle. */
export function workFromStarter(submissionId: string, { patch, tweak = "" }: Begun): ContributedWork {
	const rows = STARTER.text.split("\n");
	const half = Math.floor(rows.length / 2);
	const text = [...rows.slice(0, half), lines(PATCH_LINES, seeded(1000 + patch)), tweak, ...rows.slice(half)].join("\n");
	return { submissionId, sketch: signFiles([{ path: "main.js", text }]).sketch };
}

/** Returns the ids of the works that count as the same as each one. */
export function twinsAmong(works: readonly ContributedWork[]): Readonly<Record<string, readonly string[]>> {
	const findTwins = compareContributions(works);
	return Object.fromEntries(works.map(({ submissionId }) => [submissionId, findTwins(submissionId)]));
}

/** Of two works, the earlier submission is judged for both. */
interface Entry {
	readonly submissionId: string;
	readonly artifactSha256: string;
	readonly handedInAt: number;
	readonly quality: number;
}

interface StarterRound {
	/** These further candidates begin with the same files, with poor patches. */
	readonly others: number;
	/** The later work is better by this many points. */
	readonly difference: number;
}

/**
 * Plays final rounds in which an early work and a better, later one begin with the same files. Returns the percentage in which the early
 * one ranks above the later one.
 */
export function worseFirst({ others, difference }: StarterRound, random: Random, rounds: number): number {
	const entries: Entry[] = [
		{ submissionId: "early", artifactSha256: "early", handedInAt: 1, quality: 60 },
		{ submissionId: "later", artifactSha256: "later", handedInAt: 2, quality: 60 + difference },
		...Array.from({ length: others }, (_, index) => {
			const id = `other ${index}`;
			return { submissionId: id, artifactSha256: id, handedInAt: 3 + index, quality: 40 };
		}),
	];
	const works = entries.map(({ submissionId }, index) => workFromStarter(submissionId, { patch: index }));
	const twins = twinsAmong(works);
	const shared = shareJudgements(entries, (id) => twins[id] ?? []);
	const judgedFor = (id: string) => shared.find(({ submissionId }) => submissionId === id)?.judgedId;
	let worse = 0;
	for (let round = 0; round < rounds; round += 1) {
		const scores = new Map(entries.map(({ submissionId, quality }) => [submissionId, judge(quality, FINAL_SAMPLES, random).finalScore]));
		const scoreFor = (id: string) => scores.get(judgedFor(id) ?? id) ?? 0;
		if (scoreFor("early") >= scoreFor("later")) worse += 100 / rounds;
	}
	return worse;
}
