import type { Switches } from "../domain/switches.ts";

/** A read has seen these switches. */
export interface SeenSwitches {
	readonly switches: Switches;
	/** The revision grows with each change, because a replica may show an older state than an earlier read has seen. */
	readonly revision: number;
	/** The read began at this time. */
	readonly readAt: number;
}

/** An isolate knows through its switchboard what operators of the deployment have switched off. */
export interface Switchboard<Deps> {
	/**
	 * Returns the switches as they were at most 10 seconds ago. The look-up of a credential has read them too, or else they are read now.
	 *
	 * @param isFresh If true, they are read now in any case.
	 */
	read(deps: Deps, isFresh?: boolean): Promise<Switches>;
	note(seen: SeenSwitches): void;
}
