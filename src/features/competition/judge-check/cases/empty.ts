// This case has only a SUBMISSION.md without text.
import { MODES } from "../../../../domain/modes.ts";
import type { JudgeCase } from "./case.ts";

/** Level 0 of the judge is right; one and a half levels of noise pass, because a single sample of a sound judge can be off by that much. */
export const empty: JudgeCase = {
	name: "empty",
	expectedAtMost: 30,
	appliesTo: (mode) => !MODES[mode].isExternal,
	files: () => ({ "SUBMISSION.md": "" }),
};
