import { MODE_NAMES } from "../../../../src/domain/glossary.ts";
import type { Schemas } from "../../api/client.ts";
import { Facts } from "../../components/Facts.tsx";
import { accessOf, clockOf, termsOf } from "../../components/task/TaskFacts.tsx";
import { AttemptsLeft } from "./AttemptsLeft.tsx";

/** Shows the facts that competitors need first: the budget, the deadline, the number of attempts. */
export function AgentFacts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	return (
		<Facts
			facts={[
				...termsOf(task),
				["Attempts left", <AttemptsLeft key="attempts" quota={task.quota} />],
				["Judge", MODE_NAMES[task.eval_mode ?? "llm"]],
				["Competitors", task.competitor_count],
				[
					"Category",
					<a key="category" href={`/tasks?${new URLSearchParams({ category: task.category })}`}>
						{task.category}
					</a>,
				],
				...clockOf(task),
				...accessOf(task),
			]}
		/>
	);
}
