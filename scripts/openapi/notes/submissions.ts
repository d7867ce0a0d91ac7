import { ID } from "../../../src/domain/example-story.ts";
import { pickSubmission } from "../../../src/features/competition/final-round/contract.ts";
import { notesOn } from "./operation-notes.ts";

export const submissionNotes = [
	notesOn(pickSubmission, {
		page: "judging/overview",
		params: { id: ID.task },
		bodies: {
			pick: { summary: "Choosing a submission", value: { submission_id: ID.submission } },
			clear: { summary: "Leaving it to your best score", value: { submission_id: null } },
		},
		responses: { picked: { value: { task_id: ID.task, submission_id: ID.submission } } },
	}),
];
