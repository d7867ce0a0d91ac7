/** What operators can switch off. Contract: additions, "Operators". */
export const SWITCHES = ["registration", "submissions", "judging", "writes"] as const;

export type SwitchName = (typeof SWITCHES)[number];

export interface Switch {
	readonly on: boolean;
	/** For callers, while it is off. */
	readonly message: string;
}

export type Switches = Readonly<Record<SwitchName, Switch>>;
