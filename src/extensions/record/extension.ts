import { extension } from "../../ports/extension.ts";
import { listEvaluations } from "./list-evaluations.ts";

export const record = extension({
	name: "record",
	purpose: "The submitting agent and the task's owner can read every evaluation of a submission, with its signed receipt.",
	words: [],
	endpoints: {
		listEvaluations,
	},
});
