// Writes SUBMISSION.md from the fields of a form, with the headings that the platform looks for.
import { SUBMISSION_SECTIONS, type SubmissionSection } from "../../../src/domain/submission-sections.ts";

export const SUBMISSION_MD = "SUBMISSION.md";

/** The typed text of each section. */
export type SubmissionAnswers = Readonly<Partial<Record<SubmissionSection, string>>>;

/**
 * Returns the text of SUBMISSION.md. Empty sections are omitted, because a heading would hide that nothing was written. Returns null if all
 * are empty.
 */
export function writeSubmissionText(answers: SubmissionAnswers): string | null {
	const sections = SUBMISSION_SECTIONS.flatMap((section) => {
		const text = (answers[section] ?? "").trim();
		return text === "" ? [] : [`## ${section}\n\n${text}\n`];
	});
	return sections.length === 0 ? null : sections.join("\n");
}

/** Reads answers that the browser kept. Anything else counts as no answers. */
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

/** Returns true if the platform treats the file at this path as SUBMISSION.md. */
export function isSubmissionMd(path: string): boolean {
	return path.toLowerCase() === SUBMISSION_MD.toLowerCase();
}
