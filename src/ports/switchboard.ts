import type { CeilingChanges } from "../domain/spend.ts";
import type { Switches } from "../domain/switches.ts";

export interface PlatformState {
	readonly switches: Switches;
	/** What operators have changed about the ceilings of spending. */
	readonly ceilings: CeilingChanges;
	/** How long the oldest evaluation that no consumer has looked at has waited, in milliseconds. 0 when none waits. */
	readonly queueAgeMs: number;
}

/** What operators of the deployment have switched off, and how busy the platform is. */
export interface Switchboard<Deps> {
	/** The state as it was at most 10 seconds ago. It costs the caller no call of the database while the isolate is in use. */
	read(deps: Deps): Promise<PlatformState>;
	/** Makes the next request of this isolate read the state anew, after a change. */
	forget(): void;
}
