/** Operators can switch these off. */
export const SWITCHES = ["registration", "submissions", "judging", "writes"] as const;

export type SwitchName = (typeof SWITCHES)[number];

export interface Switch {
	readonly on: boolean;
	/** Callers read this message while the switch is off. */
	readonly message: string;
	/** It is off since this time, in milliseconds since the epoch. Null while it is on. */
	readonly since: number | null;
}

export type Switches = Readonly<Record<SwitchName, Switch>>;

/** Returns the reason why nothing is judged, for agents and owners; null while judging is on. */
export function pauseMessage({ on, message }: Pick<Switch, "on" | "message">): string | null {
	if (on) return null;
	return message === "" ? "Judging is paused." : `Judging is paused: ${message}`;
}
