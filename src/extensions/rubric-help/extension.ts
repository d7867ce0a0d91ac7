import { extension } from "../../ports/extension.ts";
import { compileRubric } from "./compile-rubric.ts";
import { lintTask } from "./lint-task.ts";

export const rubricHelp = extension({
	name: "rubric-help",
	purpose: "A poster gets hints about a rubric, and proposed checks.",
	words: ["lintTask", "compileRubric", "compile-rubric"],
	endpoints: {
		lintTask,
		compileRubric,
	},
});
