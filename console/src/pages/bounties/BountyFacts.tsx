import type { Schemas } from "../../api/client.ts";
import { Facts } from "../../components/Facts.tsx";
import { MODE_TRAITS } from "../../rules/draft.ts";
import { termsOf } from "../task/TaskFacts.tsx";

/** Shows the facts that a competitor asks for first: the budget, the deadline, the number of attempts. */
export function BountyFacts({ task }: { readonly task: Schemas["TaskDetail"] }) {
	const { remaining, limit } = task.quota;
	return (
		<Facts
			facts={[
				...termsOf(task),
				["Attempts left", `${remaining} of ${limit}`],
				["Judge", MODE_TRAITS[task.eval_mode ?? "llm"].name],
				["Competitors", task.competitor_count],
			]}
		/>
	);
}
