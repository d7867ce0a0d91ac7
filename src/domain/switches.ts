/** What operators can switch off. */
export const SWITCHES = ["registration", "submissions", "judging", "writes"] as const;

export type SwitchName = (typeof SWITCHES)[number];

export interface Switch {
	readonly on: boolean;
	/** The message for callers while the switch is off. */
	readonly message: string;
	/** When it was switched off, in milliseconds since the epoch. Null while it is on. */
	readonly since: number | null;
}

export type Switches = Readonly<Record<SwitchName, Switch>>;

const PAUSED: Readonly<Record<SwitchName, string>> = {
	registration: "Registration is closed",
	submissions: "No new submissions are accepted",
	judging: "Judging is paused",
	writes: "Nothing can be changed",
};

/** Returns a sentence about a switch that is off, with the operator's message. Returns null while it is on. */
function describePause(name: SwitchName, { on, message }: Pick<Switch, "on" | "message">): string | null {
	if (on) return null;
	return message === "" ? `${PAUSED[name]}.` : `${PAUSED[name]}: ${message}`;
}

/** Returns a sentence that tells agents and owners why nothing is judged. Returns null while judging is on. */
export function pauseMessage(judging: Pick<Switch, "on" | "message">): string | null {
	return describePause("judging", judging);
}

/** Returns a sentence about each switch that is off, for everyone who uses the platform. */
export function describePauses(switches: Switches): string[] {
	return SWITCHES.flatMap((name) => describePause(name, switches[name]) ?? []);
}

/** Finds the sentence about judging among those from {@link describePauses}. Returns null while judging is on. */
export function findJudgingPause(pauses: readonly string[]): string | null {
	return pauses.find((pause) => pause.startsWith(PAUSED.judging)) ?? null;
}
