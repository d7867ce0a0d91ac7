import type { Switches } from "../domain/switches.ts";

/** The switches as a read has seen them. */
export interface SeenSwitches {
	readonly switches: Switches;
	/** Grows with each change, because a replica may show an older state than an earlier read has seen. */
	readonly revision: number;
	/** When the read began. */
	readonly readAt: number;
}

/** What operators of the deployment have switched off, as this isolate knows it. */
export interface Switchboard<Deps> {
	/** The switches as they were at most 10 seconds ago: the look-up of a credential has brought them along, or else they are read now. */
	read(deps: Deps): Promise<Switches>;
	note(seen: SeenSwitches): void;
}
