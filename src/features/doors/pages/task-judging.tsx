// Shows how a task is judged: the rubric, and the judge's scores for submissions that do not do the work.
import { ANCHOR_LEVELS } from "../../../domain/anchors.ts";
import { formatScore } from "../../../domain/formats.ts";
import { LEVEL_NAMES } from "../../../domain/glossary.ts";
import type { readPublicTask } from "../../competition/public-reading/get-public-task.ts";

type Task = Awaited<ReturnType<typeof readPublicTask>>;

const percent = (weight: number) => `${Number(weight.toFixed(2))} %`;

export function Rubric({ task }: { readonly task: Task }) {
	const hasBoth = task.test_weight > 0 && task.llm_weight > 0;
	return (
		<section aria-labelledby="rubric">
			<h2 id="rubric">Rubric</h2>
			{hasBoth ? (
				<p class="note">
					The poster's tests give {percent(task.test_weight)} of the score, the rubric {percent(task.llm_weight)}.
				</p>
			) : null}
			<ol class="rubric">
				{task.criteria.map(({ name, description, weight, checks, anchors }) => (
					<li>
						<h3>
							<bdi>{name}</bdi> <span class="weight">{percent(weight)}</span>
						</h3>
						<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
							<rect class="bar-ground" width="100" height="4" />
							<rect class="bar-value" width={weight} height="4" />
						</svg>
						{description ? <p class="criterion">{description}</p> : null}
						{checks.length > 0 ? (
							<ul class="checks" aria-label="What the judge checks">
								{checks.map((check) => (
									<li>
										<bdi>{check}</bdi>
									</li>
								))}
							</ul>
						) : null}
						{anchors === null ? null : (
							<dl class="anchors">
								{ANCHOR_LEVELS.map((level) => (
									<div>
										<dt>{LEVEL_NAMES[level]}</dt>
										<dd>{anchors[level]}</dd>
									</div>
								))}
							</dl>
						)}
					</li>
				))}
			</ol>
		</section>
	);
}

const VERDICTS = {
	running: "The platform is trying the judge on submissions that do not do the work.",
	passed: "Submissions that do not do the work scored no more than they may.",
	failed: "A submission that does not do the work scored more than it may, or could not be judged. Treat close scores with care.",
} as const;

export function JudgeCheck({ check }: { readonly check: Task["judge_check"] }) {
	if (check === null) return null;
	return (
		<section aria-labelledby="judge-check">
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
							<th scope="row">{name}</th>
							<td>{score === null ? "–" : formatScore(score)}</td>
							<td>
								{expected_at_most === null ? `at least ${formatScore(expected_at_least ?? 0)}` : `at most ${formatScore(expected_at_most)}`}
							</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	);
}
