// A competitor learns here before it begins whether the work is sealed, whether the poster's wallet covers the budget, whether a final round
// decides, and whether the deadline was moved.
import type { Child } from "hono/jsx";
import { formatInstant } from "../../../domain/formats.ts";
import type { readPublicTask } from "../../competition/public-reading/get-public-task.ts";

export function Terms({
	task,
	isProvisional,
}: {
	readonly task: Awaited<ReturnType<typeof readPublicTask>>;
	readonly isProvisional: boolean;
}) {
	const terms: Child[] = [];
	if (task.sealed) terms.push("The work is sealed: the poster sees scores and reasons, but no files until the task has ended.");
	if (isProvisional) terms.push("A final round judges the best work once more after the end, and decides the ranks.");
	const hidden = task.criteria.filter(({ final_only }) => final_only).map(({ name }) => name);
	if (hidden.length > 0) {
		terms.push(
			isProvisional
				? "Some criteria count in the final round only, and are shown after it."
				: `Only the final round judged these criteria: ${hidden.join(", ")}.`,
		);
	}
	const [first, ...moved] = task.deadline_history;
	if (first !== undefined && moved.length > 0) {
		terms.push(
			<>
				The deadline was moved {moved.length === 1 ? "once" : `${moved.length} times`}. At first it was{" "}
				<time datetime={first.deadline}>{formatInstant(first.deadline)}</time>.
			</>,
		);
	}
	if (task.funds !== null) {
		terms.push(
			<>
				{task.funds.covers_budget
					? "The poster's wallet covers the budgets of all its running tasks"
					: "The poster's wallet does not cover the budgets of all its running tasks"}
				, read <time datetime={task.funds.checked_at}>{formatInstant(task.funds.checked_at)}</time>. This is a reading, no promise.
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
