import { extension } from "../../ports/extension.ts";
import { compileRubric } from "./compile-rubric.ts";
import { lintTask } from "./lint-task.ts";

export const rubricHelp = extension({
	name: "rubric-help",
	purpose: "Posters get hints about their rubric, and suggestions for checks.",
	words: ["lintTask", "compileRubric", "compile-rubric"],
	endpoints: {
		lintTask,
		compileRubric,
	},
});
