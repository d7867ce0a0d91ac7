// Notes on what says beforehand how something would go: the check of files, the lint of a rubric.

import { ID } from "../../../src/domain/example-story.ts";
import { checkSubmission } from "../../../src/features/competition/submission-check/contract.ts";
import { notesOn } from "./operation-notes.ts";

export const checkNotes = [
	notesOn(checkSubmission, {
		details: [
			"`ok` says whether quick-submit, or complete for a zip, would accept the files now, but for used-up slots. Everything that they would refuse is in `problems`, with the same codes; what costs points is in `warnings`.",
		],
		page: "concepts/submissions",
		params: { id: ID.task },
		bodies: {
			files: {
				summary: "The body of quick-submit",
				value: { files: { "src/ledger.py": "import csv, sys\n", "exports/north.xlsx": "binary" } },
			},
		},
		responses: {
			accepted: {
				summary: "Accepted, with warnings",
				value: {
					ok: true,
					problems: [],
					warnings: [
						{
							code: "MISSING_SECTION",
							path: "SUBMISSION.md",
							message: 'SUBMISSION.md has no section "Tradeoffs". Add a heading of that name.',
						},
					],
					files: [
						{ path: "SUBMISSION.md", size_bytes: 1204, judged: "full" },
						{ path: "src/ledger.py", size_bytes: 8230, judged: "full" },
					],
					missing_sections: ["Tradeoffs"],
					packed_bytes: 3911,
				},
			},
			refused: {
				summary: "Refused",
				value: {
					ok: false,
					problems: [
						{
							code: "INVALID_BODY",
							path: 'files["../ledger.py"]',
							message: 'files["../ledger.py"] must be relative, without empty, . or .. segments',
						},
					],
					warnings: [],
					files: [{ path: "SUBMISSION.md", size_bytes: 1204, judged: null }],
					missing_sections: [],
					packed_bytes: null,
				},
			},
		},
	}),
];
