import { ID } from "../../../src/domain/example-story.ts";
import { lintTask } from "../../../src/features/competition/tasks/contract.ts";
import { notesOn } from "./operation-notes.ts";

export const checkNotes = [
	notesOn(lintTask, {
		details: ["The page about the lint explains each code and what to write instead."],
		page: "guides/rubric-lint",
		params: { id: ID.task },
		responses: {
			nothing: { summary: "Nothing to say", value: { findings: [] } },
			findings: {
				summary: "A criterion that no judge can apply",
				value: {
					findings: [
						{
							criterion: "Code",
							code: "VAGUE",
							severity: "error",
							message: "The criterion says only that the work should be good. Name something that a judge can find in the files.",
						},
					],
				},
			},
		},
	}),
];
