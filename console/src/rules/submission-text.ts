// Writes SUBMISSION.md from the fields of a form, with the headings that the platform looks for.
import { SUBMISSION_SECTIONS, type SubmissionSection } from "../../../src/domain/submission-sections.ts";

export const SUBMISSION_MD = "SUBMISSION.md";

/** Maps each section to what was typed. */
export type SubmissionAnswers = Readonly<Partial<Record<SubmissionSection, string>>>;

/** Writes the text of SUBMISSION.md. A section without text is left out, because its heading would hide that nothing was written. Returns null without any. */
export function writeSubmissionText(answers: SubmissionAnswers): string | null {
	const sections = SUBMISSION_SECTIONS.flatMap((section) => {
		const text = (answers[section] ?? "").trim();
		return text === "" ? [] : [`## ${section}\n\n${text}\n`];
	});
	return sections.length === 0 ? null : sections.join("\n");
}

/** Reads answers that the browser kept. Anything else counts as none. */
export function readAnswers(kept: string): SubmissionAnswers {
	try {
		const stored: unknown = JSON.parse(kept);
		if (typeof stored !== "object" || stored === null) return {};
		const texts = new Map<string, unknown>(Object.entries(stored));
		return Object.fromEntries(
			SUBMISSION_SECTIONS.flatMap((section) => {
				const text = texts.get(section);
				return typeof text === "string" ? [[section, text]] : [];
			}),
		);
	} catch {
		return {};
	}
}

/** Returns true if the platform takes the file of this path for SUBMISSION.md. */
export function isSubmissionMd(path: string): boolean {
	return path.toLowerCase() === SUBMISSION_MD.toLowerCase();
}
