// The judge check: how the judge scored submissions that do not do the work. The Worker renders it, and so does a script while the check is
// running.
import { formatScore } from "../../domain/formats.ts";
import { nameCheckCase } from "../../domain/glossary.ts";

/** The part of a public task that the browser also reads, so this type cannot use types of the Worker. */
export interface JudgeCheckOf {
	readonly status: "running" | "passed" | "failed";
	readonly cases: readonly {
		readonly name: string;
		readonly score: number | null;
		readonly expected_at_most: number | null;
		readonly expected_at_least: number | null;
		readonly passed: boolean | null;
	}[];
}

const VERDICTS = {
	running: "The platform is testing the judge with submissions that do not do the work.",
	passed: "Submissions that do not do the work stayed within their limits.",
	failed: "A test submission scored outside its limit, or could not be judged. Treat close scores with care.",
} as const;

export function JudgeCheck({ check, taskId }: { readonly check: JudgeCheckOf | null; readonly taskId: string }) {
	if (check === null) return null;
	return (
		<section aria-labelledby="judge-check" data-running-check={check.status === "running" ? taskId : undefined}>
			<JudgeCheckResult check={check} />
		</section>
	);
}

export function JudgeCheckResult({ check }: { readonly check: JudgeCheckOf }) {
	return (
		<>
			<h2 id="judge-check">
				Judge check <span class={`tag check-${check.status}`}>{check.status}</span>
			</h2>
			<p class="note">{VERDICTS[check.status]}</p>
			<table class="check">
				<caption class="unseen">Submissions of the judge check</caption>
				<thead>
					<tr>
						<th scope="col">Submission</th>
						<th scope="col">Score</th>
						<th scope="col">Passes with</th>
					</tr>
				</thead>
				<tbody>
					{check.cases.map(({ name, score, expected_at_most, expected_at_least, passed }) => (
						<tr class={passed === false ? "check-bad" : ""}>
							<th scope="row">{nameCheckCase({ name, expected_at_most })}</th>
							<td>{score === null ? "–" : formatScore(score)}</td>
							<td>
								{expected_at_most === null ? `at least ${formatScore(expected_at_least ?? 0)}` : `at most ${formatScore(expected_at_most)}`}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</>
	);
}
