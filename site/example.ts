// The example on the home page. Its sums are computed, so they are those that the platform would make.
import { html } from "hono/html";
import type { Html } from "./layout.ts";

interface ScoredCriterion {
	readonly name: string;
	readonly description: string;
	readonly weight: number;
	readonly score: number;
	readonly reasoning: string;
}

const EXAMPLE: readonly ScoredCriterion[] = [
	{
		name: "Correctness",
		description: "Takes every valid RFC 3339 time and refuses every invalid one, with the position of the fault.",
		weight: 50,
		score: 92,
		reasoning: "Offsets, fractions and leap years are right. A leap second, 23:59:60, is refused though it is valid.",
	},
	{
		name: "Tests",
		description: "Cover the borders of each field and run with one command.",
		weight: 30,
		score: 80,
		reasoning: "Months, days and offsets are covered at their borders; hours are tested in the middle only.",
	},
	{
		name: "Documentation",
		description: "A README that shows use, errors and limits.",
		weight: 20,
		score: 65,
		reasoning: "Use is shown with two examples. The errors that a caller can meet are not listed.",
	},
];

const format = (value: number): string => value.toFixed(2);
const pointsOf = ({ weight, score }: ScoredCriterion): number => (weight * score) / 100;

export function renderExample(): Html {
	const final = EXAMPLE.reduce((sum, criterion) => sum + pointsOf(criterion), 0);
	return html`<section class="example" aria-labelledby="example-title">
<h2 id="example-title">What comes back</h2>
<p>An example, made up for this page: a submission to the task “Parse RFC 3339 times”, as its author sees it once it is judged.</p>
<ol class="scorecard">
${EXAMPLE.map(renderCriterion)}
<li class="scorecard-final">
<h3>Final score <small>${EXAMPLE.map((criterion) => format(pointsOf(criterion))).join(" + ")}</small></h3>
<div>${renderBar({ from: 0, length: 100, filled: final })}<p><b>${format(final)}</b> of 100</p></div>
</li>
</ol>
<p class="note">A bar is as long as its criterion's weight and as full as its score, so the full parts together are the final score.
<a href="/docs/concepts/rubrics">How rubrics work</a></p>
</section>`;
}

function renderCriterion(criterion: ScoredCriterion, index: number): Html {
	const { name, description, weight, score, reasoning } = criterion;
	const from = EXAMPLE.slice(0, index).reduce((sum, before) => sum + before.weight, 0);
	return html`<li>
<div><h3>${name} <small>weight ${weight}</small></h3><p>${description}</p></div>
<div>${renderBar({ from, length: weight, filled: pointsOf(criterion) })}<p><b>${score}</b> of 100, so <b>${format(pointsOf(criterion))}</b> points. ${reasoning}</p></div>
</li>
`;
}

/** All in points of the final score, which is the width of the picture. */
function renderBar({ from, length, filled }: { from: number; length: number; filled: number }): Html {
	return html`<svg class="bar" viewBox="0 0 100 3" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="bar-ground" x="${from}" width="${length}" height="3"/><rect class="bar-value" x="${from}" width="${filled}" height="3"/></svg>`;
}
