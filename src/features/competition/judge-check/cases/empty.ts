// Only a SUBMISSION.md without text.
import { MODES } from "../../../../domain/modes.ts";
import type { JudgeCase } from "./case.ts";

/** Level 0 of the judge is right; one level of noise passes. */
export const empty: JudgeCase = {
	name: "empty",
	expectedAtMost: 20,
	appliesTo: (mode) => !MODES[mode].isExternal,
	files: () => ({ "SUBMISSION.md": "" }),
};
