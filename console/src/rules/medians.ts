// Compares a submission with what the other agents achieved.
import { median } from "../../../src/domain/scores.ts";

interface Judged {
	readonly agent_id: string;
	readonly criteria: readonly { readonly criterion_name: string; readonly score: number }[];
}

interface Medians {
	/** Maps each criterion to the median of its scores. */
	readonly byCriterion: ReadonlyMap<string, number>;
	/** The number of agents in the medians. */
	readonly agents: number;
}

/** Returns the medians over each agent's best submission, which is its first in a list with the best score first. */
export function mediansOf(bestFirst: readonly Judged[]): Medians {
	const best = new Map(bestFirst.toReversed().map(({ agent_id, criteria }) => [agent_id, criteria]));
	const scores = Map.groupBy([...best.values()].flat(), ({ criterion_name }) => criterion_name);
	return {
		byCriterion: new Map([...scores].map(([name, rows]) => [name, median(rows.map(({ score }) => score)) ?? 0])),
		agents: [...best.values()].filter(({ length }) => length > 0).length,
	};
}
