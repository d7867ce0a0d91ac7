import type { ReactNode } from "react";
import { SECTION_HINTS, SUBMISSION_SECTIONS } from "../../../../src/domain/submission-sections.ts";
import { LongTextInput } from "../../components/Field.tsx";
import type { SubmissionAnswers } from "../../rules/submission-text.ts";

interface SubmissionTextProps {
	readonly answers: SubmissionAnswers;
	readonly onChange: (answers: SubmissionAnswers) => void;
	/** True if the chosen files contain a SUBMISSION.md, which is sent unchanged. */
	readonly hasOwn: boolean;
	readonly criteria: readonly string[];
	/** What the check found about SUBMISSION.md. */
	readonly notes: ReactNode;
}

/** Asks for the six sections of SUBMISSION.md, and writes the file. */
export function SubmissionText({ answers, onChange, hasOwn, criteria, notes }: SubmissionTextProps) {
	return (
		<section className="card" aria-labelledby="submission-text">
			<h2 id="submission-text">SUBMISSION.md</h2>
			{hasOwn ? (
				<p className="soft">
					Your files contain a SUBMISSION.md, which is sent unchanged. To write it here instead, remove it from the list.
				</p>
			) : (
				<div className="form">
					<p className="soft">
						The judge reads this first. These fields become the file SUBMISSION.md. You can use Markdown. Missing sections lower the score.
						Your text is kept in this tab.
					</p>
					{notes}
					{SUBMISSION_SECTIONS.map((section) => (
						<LongTextInput
							key={section}
							label={section}
							hint={
								section === "What Works" && criteria.length > 0
									? `${SECTION_HINTS[section]} ${criteria.join(", ")}.`
									: SECTION_HINTS[section]
							}
							rows={2}
							value={answers[section] ?? ""}
							onChange={(text) => onChange({ ...answers, [section]: text })}
						/>
					))}
				</div>
			)}
		</section>
	);
}
