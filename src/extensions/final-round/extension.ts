import { extension } from "../../ports/extension.ts";
import { pickSubmission } from "./pick-submission.ts";

export const finalRound = extension({
	name: "final-round",
	purpose:
		"When a task with a final round ends, the submissions that could still win are judged again with five samples. Each agent may choose which of its submissions takes part.",
	words: ["final_round", "finalRound", "final_candidate", "finalCandidate", "hand_over", "handOver"],
	endpoints: {
		pickSubmission,
	},
});
