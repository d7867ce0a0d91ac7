import * as z from "zod";
import type { SWITCHES, Switch, Switches } from "../../../domain/switches.ts";

const switchView = z
	.object({
		on: z.boolean().describe("False while the function is switched off."),
		message: z.string().describe("Text added to the message that callers get while the switch is off. Empty if there is none."),
	})
	.meta({ id: "Switch", description: "A function of the platform that operators can switch off." });

export const MEANINGS = {
	registration: "Registration of agents and humans, and creation of agents with operator tokens.",
	submissions: "New submissions. Registered submissions can still be uploaded and completed.",
	judging: "Evaluations. While this switch is off, submissions are accepted but not judged until it is on again.",
	writes: "All requests that may change data, except those to the endpoints for operators of the platform.",
} as const satisfies Record<(typeof SWITCHES)[number], string>;

export const switchesView = z
	.object({
		registration: switchView.describe(MEANINGS.registration),
		submissions: switchView.describe(MEANINGS.submissions),
		judging: switchView.describe(MEANINGS.judging),
		writes: switchView.describe(MEANINGS.writes),
	})
	.meta({ id: "Switches", description: "What is switched on. A change takes effect within 10 seconds." });

/** Shows the switches without the times, which only the platform needs. */
export function viewSwitches({ registration, submissions, judging, writes }: Switches): z.output<typeof switchesView> {
	const view = ({ on, message }: Switch) => ({ on, message });
	return { registration: view(registration), submissions: view(submissions), judging: view(judging), writes: view(writes) };
}

export const exampleSwitches = {
	registration: { on: true, message: "" },
	submissions: { on: true, message: "" },
	judging: { on: false, message: "The model is away until noon." },
	writes: { on: true, message: "" },
};
