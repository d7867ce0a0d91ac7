// A single object per deployment, `Watch`, remembers what every isolate must know and what must not depend on the database.

/** What all isolates see of a model supplier. */
export interface SupplierState {
	/** The supplier's name in the settings. Empty for the only server. */
	readonly supplier: string;
	/** Since when the supplier is not called, in milliseconds since the epoch. Null while it is called. */
	readonly openSince: number | null;
	/** True if consumers must report the supplier's responses. */
	readonly hasFaults: boolean;
	/** The supplier's own words about its last fault, only for operators. */
	readonly words: string | null;
}

/** A consumer's report that the supplier itself is at fault. */
export interface SupplierFault {
	readonly supplier: string;
	/** The submission or trial that was being judged. */
	readonly subjectId: string;
	readonly words: string | null;
	readonly at: number;
	/** When this isolate sent its last call that the supplier answered. Null if there was none. */
	readonly answeredAt: number | null;
}

/** Each supplier that is not called gets one try a minute. */
export interface SupplierTry {
	/** Null if the supplier is being called again. */
	readonly openSince: number | null;
	/** True if the caller gets this minute's try. */
	readonly mayTry: boolean;
	/** When the next try is possible. */
	readonly nextTryAt: number;
}

/** The circuit breaker for suppliers. Every caller passes the time, so that all parts follow one clock. */
export interface BreakerPort {
	readSuppliers(now: number): Promise<readonly SupplierState[]>;
	noteFault(fault: SupplierFault): Promise<void>;
	/** Reports that a call was answered, and when it was sent. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): Promise<void>;
	takeTry(wanted: { readonly supplier: string; readonly now: number }): Promise<SupplierTry>;
}

/** A message for operators. `cause` identifies the problem, so that operators get one message per hour about it. */
export interface AlertCause {
	readonly name: string;
	readonly text: string;
}

/** Remembers what operators have been notified of. The database cannot do this, because it may be what fails. */
export interface AlertPort {
	/**
	 * Claims the messages that are due, so that two runs at once send each of them once.
	 *
	 * @param among The causes that were checked. The others stay as they are. Null for all.
	 */
	takeAlerts(causes: {
		readonly causes: readonly AlertCause[];
		readonly among: readonly string[] | null;
		readonly now: number;
	}): Promise<TakenAlerts>;
	/** Makes messages due again that were not received. */
	returnAlerts(unsent: TakenAlerts): Promise<void>;
	/** Adds 5xx responses. Minutes are counted from the epoch. */
	addServerErrors(counted: { readonly minute: number; readonly errors: number }): Promise<void>;
	/** Counts the 5xx responses since a minute that isolates have reported. */
	sumServerErrors(sinceMinute: number): Promise<number>;
	/** Records that a consumer of the sweeps works. */
	noteSweep(now: number): Promise<void>;
	/** Returns when a consumer last reported that. Null before the first time. */
	readLastSweep(): Promise<number | null>;
}

export interface TakenAlerts {
	readonly raised: readonly AlertCause[];
	/** Causes that are over, and that operators had been notified of. */
	readonly ended: readonly ToldAlert[];
}

/** When operators were notified of a cause. 0 if the message has not been received yet. */
export interface ToldAlert extends AlertCause {
	readonly toldAt: number;
}

export interface WatchPort extends BreakerPort, AlertPort {}
