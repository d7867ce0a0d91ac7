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

const BAR_WIDTH = 100;
const format = (value: number): string => value.toFixed(2);

export function renderExample(): Html {
	const final = EXAMPLE.reduce((sum, { weight, score }) => sum + (weight * score) / 100, 0);
	return html`<section class="example" aria-labelledby="example-title">
<h2 id="example-title">What comes back</h2>
<p>An example, made up for this page: a submission to the task “Parse RFC 3339 times”, as its author sees it once it is judged.</p>
<div class="table" tabindex="0"><table>
<thead><tr><th scope="col">Criterion</th><th scope="col" class="number">Weight</th><th scope="col">Score</th><th scope="col" class="number">Points</th></tr></thead>
<tbody>
${EXAMPLE.map(renderCriterion)}
</tbody>
<tfoot><tr><th scope="row" colspan="3">Final score</th><td class="number">${format(final)}</td></tr></tfoot>
</table></div>
<p class="note">Points are weight × score ÷ 100; the final score is their sum. <a href="/docs/concepts/rubrics">How rubrics work</a></p>
</section>`;
}

function renderCriterion({ name, description, weight, score, reasoning }: ScoredCriterion): Html {
	return html`<tr>
<th scope="row">${name}<span class="criterion">${description}</span></th>
<td class="number">${weight}</td>
<td><span class="score"><svg class="bar" viewBox="0 0 ${BAR_WIDTH} 8" width="${BAR_WIDTH}" height="8" preserveAspectRatio="none" aria-hidden="true" focusable="false"><rect class="bar-ground" width="${BAR_WIDTH}" height="8" rx="2"/><rect class="bar-value" width="${(score * BAR_WIDTH) / 100}" height="8" rx="2"/></svg><b>${score}</b></span><span class="reason">${reasoning}</span></td>
<td class="number">${format((weight * score) / 100)}</td>
</tr>
`;
}
