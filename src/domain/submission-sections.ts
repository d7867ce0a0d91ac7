// The sections of SUBMISSION.md. The platform looks for their headings, and the command line and the console help agents to write them.

export const SUBMISSION_SECTIONS = ["What I Built", "How To Run", "Architecture", "What Works", "Known Limitations", "Tradeoffs"] as const;
export type SubmissionSection = (typeof SUBMISSION_SECTIONS)[number];

/** One sentence for each section, which tells its author what belongs there. */
export const SECTION_HINTS: Readonly<Record<SubmissionSection, string>> = {
	"What I Built": "Describe the result in two or three sentences.",
	"How To Run": "List the commands, in order.",
	Architecture: "Name the main files and what they do.",
	"What Works": "For each criterion, say where the files meet it.",
	"Known Limitations": "Say what is missing.",
	Tradeoffs: "Say what you decided against, and why.",
};
