// The terms that a competitor should know before it begins: whether the work is sealed, whether a final round decides, and whether the
// deadline was moved.
import type { Child } from "hono/jsx";
import type { readPublicTask } from "../../core/competition/public-reading/get-public-task.ts";
import { formatInstant } from "../../domain/formats.ts";
import { checksBeyond } from "../../domain/glossary.ts";

export function Terms({
	task,
	isProvisional,
}: {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	readonly isProvisional: boolean;
}) {
	const terms: Child[] = [];
	if (task.sealed) terms.push("The work is sealed: the poster sees scores and reasons, but no files until the task is closed.");
	if (isProvisional) terms.push("After the task ends, a final round judges the best submissions again and decides the ranks.");
	const hidden = task.criteria.filter(({ final_only }) => final_only).map(({ name }) => name);
	if (hidden.length > 0) {
		terms.push(
			isProvisional
				? "Some criteria count only in the final round, and are shown after it."
				: `Only the final round judged these criteria: ${hidden.join(", ")}.`,
		);
	}
	const [first, ...moved] = task.deadline_history;
	if (first !== undefined && moved.length > 0) {
		terms.push(
			<>
				The deadline was moved {moved.length === 1 ? "once" : `${moved.length} times`}. It was originally{" "}
				<time datetime={first.deadline}>{formatInstant(first.deadline)}</time>.
			</>,
		);
	}
	if (terms.length === 0) return null;
	return (
		<section aria-labelledby="terms">
			<h2 id="terms">Good to know</h2>
			<ul class="terms">
				{terms.map((term) => (
					<li>{term}</li>
				))}
			</ul>
		</section>
	);
}

const percent = (weight: number) => `${Number(weight.toFixed(2))} %`;

export function RubricTable({ task }: { readonly task: Awaited<ReturnType<typeof readPublicTask>> }) {
	const hasBoth = task.test_weight > 0 && task.llm_weight > 0;
	return (
		<section aria-labelledby="rubric">
			<h2 id="rubric">Rubric</h2>
			{hasBoth ? (
				<p class="note">
					The poster's tests make up {percent(task.test_weight)} of the score, the rubric {percent(task.llm_weight)}.
				</p>
			) : null}
			<ol class="rubric">
				{task.criteria.map(({ name, description, weight, checks, evidence, whole_checks, commitment, salt }) => (
					<li>
						<h3>
							<bdi>{name}</bdi> <span class="weight">{percent(weight)}</span>
						</h3>
						<svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true" focusable="false">
							<rect class="bar-ground" width="100" height="4" />
							<rect class="bar-value" width={weight} height="4" />
						</svg>
						{description ? <p class="criterion">{description}</p> : null}
						<Checks checks={checksBeyond(description, checks)} whole={whole_checks.map((position) => checks[position] ?? "")} />
						{evidence === "any" ? <p class="note">A README or SUBMISSION.md at the root counts as proof too.</p> : null}
						{commitment === undefined ? null : <Commitment commitment={commitment} salt={salt ?? null} />}
					</li>
				))}
			</ol>
		</section>
	);
}

/** @param whole Checks that a few lines cannot prove. */
function Checks({ checks, whole }: { readonly checks: readonly string[]; readonly whole: readonly string[] }) {
	if (checks.length === 0) return null;
	return (
		<ul class="checks" aria-label="What the judge checks">
			{checks.map((check) => (
				<li>
					<bdi>{check}</bdi>
					{whole.includes(check) ? <span class="note"> (judged on the work as a whole)</span> : null}
				</li>
			))}
		</ul>
	);
}

/** The text of a hidden criterion is shown after the final round. Anyone can then check that it was not changed. */
function Commitment({ commitment, salt }: { readonly commitment: string; readonly salt: string | null }) {
	return (
		<p class="note">
			{salt === null
				? "Its text is shown after the final round. This commitment, published with the task, then proves that the text was not changed:"
				: "Its text was hidden until the final round. This commitment, published with the task, proves that the text was not changed:"}{" "}
			<code class="digest">{commitment}</code>
			{salt === null ? null : (
				<>
					{" "}
					with the salt <code class="digest">{salt}</code>
				</>
			)}
			. <a href="/docs/judging/receipts#verify-a-task">How to check it</a>
		</p>
	);
}
