// Shows the list of submissions as a heat map with a column for each criterion.

interface WithCriteria {
	readonly criteria: readonly { readonly criterion_name: string; readonly score: number }[];
}

/** More columns would not fit in a window. A submission's own page shows all criteria. */
const MAX_COLUMNS = 8;

/** Lists the criteria of all rows, in the order in which they first appear, but at most eight. */
export function criteriaOf(rows: readonly WithCriteria[]): readonly string[] {
	return [...new Set(rows.flatMap(({ criteria }) => criteria.map(({ criterion_name }) => criterion_name)))].slice(0, MAX_COLUMNS);
}

/** Returns a submission's score on a criterion. Returns null if there is none. */
export function scoreOn({ criteria }: WithCriteria, name: string): number | null {
	return criteria.find(({ criterion_name }) => criterion_name === name)?.score ?? null;
}

/** Sorts by a criterion, best first. Rows without a score come last. Equal rows keep their order. */
export function sortByCriterion<Row extends WithCriteria>(rows: readonly Row[], name: string): readonly Row[] {
	return rows.toSorted((a, b) => (scoreOn(b, name) ?? -1) - (scoreOn(a, name) ?? -1));
}
