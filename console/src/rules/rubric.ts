// A rubric while someone is writing it: weights as typed, their sum, and what is missing.

export interface CriterionDraft {
	/** Identifies the editor's row. */
	readonly key: string;
	readonly name: string;
	readonly description: string;
	readonly weight: string;
	/** If true, a README or SUBMISSION.md at the root counts as proof too. */
	readonly anyEvidence: boolean;
	/** If true, only the final round judges the criterion. */
	readonly finalOnly: boolean;
	/** One check per line. */
	readonly checks: string;
	/** The description that the checks were written for. Null if it is the current one. */
	readonly checksOf: string | null;
}

const MAX_CHECKS = 8;
const MAX_CHECK_LENGTH = 300;

const MAX_NAME_LENGTH = 200;
/** Weights have at most two decimals. */
const CENTS = 100;

/** Parses the weight as hundredths, so that sums are exact. Returns null if it is not a weight. */
export function parseWeight(text: string): number | null {
	const match = /^\s*(\d{1,3})(?:\.(\d{1,2}))?\s*$/.exec(text);
	if (match === null) return null;
	const [, whole = "", fraction = ""] = match;
	const hundredths = Number(whole) * CENTS + Number(fraction.padEnd(2, "0"));
	return hundredths > 100 * CENTS ? null : hundredths;
}

function formatWeight(hundredths: number): string {
	return String(hundredths / CENTS);
}

/** Returns the sum of all valid weights, in percent. */
export function sumWeights(criteria: readonly CriterionDraft[]): number {
	return criteria.reduce((sum, { weight }) => sum + (parseWeight(weight) ?? 0), 0) / CENTS;
}

/**
 * Splits what is left of 100 % equally among the criteria without a weight. The first ones get the remainder. If nothing is left for them,
 * returns the criteria unchanged. If all criteria have a weight, scales the weights to sum to 100.
 */
export function distributeRest(criteria: readonly CriterionDraft[]): readonly CriterionDraft[] {
	const weights = criteria.map(({ weight }) => parseWeight(weight) ?? 0);
	const sum = weights.reduce((total, weight) => total + weight, 0);
	const open = weights.flatMap((weight, index) => (weight === 0 ? [index] : []));
	if (open.length > 0) return sum >= 100 * CENTS ? criteria : fill(criteria, open, 100 * CENTS - sum);
	return sum === 100 * CENTS ? criteria : scale(criteria, weights, sum);
}

function fill(criteria: readonly CriterionDraft[], open: readonly number[], rest: number): readonly CriterionDraft[] {
	// Distributes whole percents first, so that most rubrics have no fractions.
	const unit = rest % CENTS === 0 ? CENTS : 1;
	const units = rest / unit;
	const each = Math.floor(units / open.length);
	const extra = units - each * open.length;
	return criteria.map((criterion, index) => {
		const place = open.indexOf(index);
		return place === -1 ? criterion : { ...criterion, weight: formatWeight((each + (place < extra ? 1 : 0)) * unit) };
	});
}

function scale(criteria: readonly CriterionDraft[], weights: readonly number[], sum: number): readonly CriterionDraft[] {
	const scaled = weights.map((weight) => {
		const exact = (weight / sum) * 100;
		return { exact, percent: Math.max(1, Math.round(exact)) };
	});
	const difference = 100 - scaled.reduce((total, { percent }) => total + percent, 0);
	const step = Math.sign(difference);
	// Each percent that rounding added or lost is corrected where rounding erred most, so that no weight falls below 1 %.
	for (let left = Math.abs(difference); left > 0; left -= 1) {
		const [worst] = scaled
			.filter(({ percent }) => percent + step >= 1)
			.toSorted((a, b) => step * (b.exact - b.percent - (a.exact - a.percent)));
		if (worst !== undefined) worst.percent += step;
	}
	return criteria.map((criterion, index) => ({ ...criterion, weight: formatWeight((scaled[index]?.percent ?? 0) * CENTS) }));
}

/** Returns the errors of a criterion, by field. Empty if there are none. */
export function findFaults(
	criterion: CriterionDraft,
	all: readonly CriterionDraft[],
): { readonly name?: string; readonly weight?: string; readonly checks?: string } {
	const name = criterion.name.trim();
	const weight = parseWeight(criterion.weight);
	const isTwice = all.some((other) => other.key !== criterion.key && other.name.trim() === name && name !== "");
	return {
		...(name === "" ? { name: "Give the criterion a name." } : {}),
		...(name.length > MAX_NAME_LENGTH ? { name: `At most ${MAX_NAME_LENGTH} characters.` } : {}),
		...(isTwice ? { name: "Another criterion has this name." } : {}),
		...(weight === null || weight === 0 ? { weight: "More than 0, at most 100." } : {}),
		...findCheckFault(criterion),
	};
}

/** Returns the checks of a criterion, without empty lines. */
export function readChecks({ checks }: Pick<CriterionDraft, "checks">): readonly string[] {
	return checks.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
}

function findCheckFault(criterion: CriterionDraft): { readonly checks?: string } {
	const checks = readChecks(criterion);
	if (checks.length > MAX_CHECKS) return { checks: `At most ${MAX_CHECKS} checks.` };
	if (new Set(checks).size < checks.length) return { checks: "Two checks are the same." };
	if (checks.some((check) => check.length > MAX_CHECK_LENGTH)) return { checks: `At most ${MAX_CHECK_LENGTH} characters for each check.` };
	return {};
}

const MAX_HIDDEN_WEIGHT = 50;
const MAX_CHECKS_OF_RUBRIC = 120;

/** Returns what the platform would reject about the criteria as a whole. */
export function findRubricFault(criteria: readonly CriterionDraft[]): string | null {
	const hidden = criteria.filter(({ finalOnly }) => finalOnly);
	if (criteria.length > 0 && hidden.length === criteria.length) return "At least one criterion must be visible before the final round.";
	if (sumWeights(hidden) > MAX_HIDDEN_WEIGHT)
		return `Criteria that are hidden until the final round can weigh at most ${MAX_HIDDEN_WEIGHT} % in total.`;
	const checks = criteria.reduce((sum, criterion) => sum + Math.max(1, readChecks(criterion).length), 0);
	return checks > MAX_CHECKS_OF_RUBRIC ? `A rubric has at most ${MAX_CHECKS_OF_RUBRIC} checks. Remove some.` : null;
}

/** Returns true if the platform would accept the rubric. */
export function isComplete(criteria: readonly CriterionDraft[]): boolean {
	return (
		criteria.length > 0 &&
		sumWeights(criteria) === 100 &&
		findRubricFault(criteria) === null &&
		criteria.every((criterion) => Object.keys(findFaults(criterion, criteria)).length === 0)
	);
}

/** Returns true if nothing has been written yet. */
export function isBlank(criteria: readonly CriterionDraft[]): boolean {
	return criteria.every(({ name, description, weight, checks }) => `${name}${description}${weight}${checks}`.trim() === "");
}

/** Returns the criteria as the API expects them. Without a final round, no criterion can be limited to it. */
export function toCriteria(criteria: readonly CriterionDraft[], hasFinalRound: boolean) {
	return criteria.map((criterion) => ({
		name: criterion.name.trim(),
		description: criterion.description.trim() === "" ? null : criterion.description.trim(),
		weight: (parseWeight(criterion.weight) ?? 0) / CENTS,
		checks: [...readChecks(criterion)],
		...(criterion.anyEvidence ? { evidence: "any" as const } : {}),
		...(criterion.finalOnly && hasFinalRound ? { final_only: true } : {}),
	}));
}

/** Says how many problems make the rubric hard to judge by. */
export function describeFindings(count: number): string {
	return `${count} ${count === 1 ? "problem makes" : "problems make"} the rubric hard to judge by.`;
}
