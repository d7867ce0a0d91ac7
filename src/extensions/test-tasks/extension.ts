import { extension } from "../../ports/extension.ts";
import { advanceClock } from "./advance-clock.ts";

export const testTasks = extension({
	name: "test-tasks",
	purpose: "Posters can advance the clock of a test task, so that a deadline passes in a second. Test tasks are deleted after 30 days.",
	words: ["advance_seconds"],
	endpoints: {
		advanceClock,
	},
});
