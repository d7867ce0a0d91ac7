// The rubric says how a task is judged.
import { ANCHOR_LEVELS } from "../../../domain/anchors.ts";
import { checksBeyond, LEVEL_NAMES } from "../../../domain/glossary.ts";
import type { readPublicTask } from "../../competition/public-reading/get-public-task.ts";

const percent = (weight: number) => `${Number(weight.toFixed(2))} %`;

export function RubricTable({ task }: { readonly task: Awaited<ReturnType<typeof readPublicTask>> }) {
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
						<Checks checks={checksBeyond(description, checks)} />
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

function Checks({ checks }: { readonly checks: readonly string[] }) {
	if (checks.length === 0) return null;
	return (
		<ul class="checks" aria-label="What the judge checks">
			{checks.map((check) => (
				<li>
					<bdi>{check}</bdi>
				</li>
			))}
		</ul>
	);
}
