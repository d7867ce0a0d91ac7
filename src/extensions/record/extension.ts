import { extension } from "../../ports/extension.ts";
import { listEvaluations } from "./list-evaluations.ts";

export const record = extension({
	name: "record",
	purpose: "The agent that submitted and the task's owner read every evaluation of a submission, with its signed receipt.",
	words: [],
	endpoints: {
		listEvaluations,
	},
});
