// Joins a judgement with further samples of the same work, as if all had been made at once.
import { criterionScore, typicalSample } from "../../../domain/checks.ts";
import type { CheckJudgement, CheckVerdict, CriterionJudgement } from "../../../ports/judge.ts";

/** @param further It has the same criteria in the same order. */
export function joinJudgements(first: CheckJudgement, further: CheckJudgement): CheckJudgement {
	return {
		criteria: first.criteria.map((criterion, index) => {
			const other = further.criteria[index];
			return other === undefined ? criterion : joinCriteria(criterion, other);
		}),
		models: [...new Set([...first.models, ...further.models])],
		cutFiles: first.cutFiles,
		strippedCharacters: first.strippedCharacters,
		quotes: {
			claimed: first.quotes.claimed + further.quotes.claimed,
			real: first.quotes.real + further.quotes.real,
		},
	};
}

function joinCriteria(first: CriterionJudgement, further: CriterionJudgement): CriterionJudgement {
	const samples = [...first.samples, ...further.samples];
	const chosen = first.checks.map(({ check }, position): { readonly verdict: CheckVerdict; readonly from: CriterionJudgement | null } => {
		const answers = samples.map(({ found }) => found[position] ?? "no");
		const found = answers[typicalSample(answers)] ?? "no";
		const from = [first, further].find(({ checks }) => checks[position]?.found === found) ?? null;
		return { from, verdict: from?.checks[position] ?? { check, found, evidence: [] } };
	});
	const shown = [...new Set(chosen.flatMap(({ from }) => from ?? []))];
	return {
		...first,
		score: criterionScore(samples),
		samples,
		checks: chosen.map(({ verdict }) => verdict),
		gaps: [...new Set(shown.flatMap(({ gaps }) => gaps))],
		reasoning: [...new Set(shown.map(({ reasoning }) => reasoning))].join(" "),
		isInjectionSuspected: first.isInjectionSuspected || further.isInjectionSuspected,
	};
}
