// The object `Watch` stores what every isolate must know, and what must not depend on the database.

/** The state of a supplier of models, as all isolates see it. */
export interface SupplierState {
	/** The supplier's name in the settings. Empty if there is only one server. */
	readonly supplier: string;
	/** Since when the supplier has not been called, in milliseconds since the epoch. Null while it is in use. */
	readonly openSince: number | null;
	/** True if consumers must report the supplier's successes. */
	readonly hasFaults: boolean;
	/** The supplier's own words about its last fault, only for operators. */
	readonly words: string | null;
}

/** A fault that the supplier itself is to blame for. */
export interface SupplierFault {
	readonly supplier: string;
	/** The submission or trial that was being judged. */
	readonly subjectId: string;
	readonly words: string | null;
	readonly at: number;
	/** When this isolate's last successful call was sent. Null if there was none. */
	readonly answeredAt: number | null;
}

/** The result of asking for a try. Each supplier that is not called gets one try per minute. */
export interface SupplierTry {
	/** Null if the supplier is in use again. */
	readonly openSince: number | null;
	/** True if the caller gets this minute's try. */
	readonly mayTry: boolean;
	/** When the next try is possible. */
	readonly nextTryAt: number;
}

/** The circuit breaker of suppliers. Callers pass the time, so that all parts follow one clock. */
export interface BreakerPort {
	readSuppliers(now: number): Promise<readonly SupplierState[]>;
	noteFault(fault: SupplierFault): Promise<void>;
	/** Records that a call succeeded, and when it was sent. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): Promise<void>;
	takeTry(wanted: { readonly supplier: string; readonly now: number }): Promise<SupplierTry>;
}

/** A reason to alert operators. Alerts are deduplicated by name: at most one an hour. */
export interface AlertCause {
	readonly name: string;
	readonly text: string;
}

/** Remembers which alerts were sent. Not in the database, because the database may be what fails. */
export interface AlertPort {
	/**
	 * Claims the messages that are due, so that two parallel runs send each of them only once.
	 *
	 * @param among The names of the causes that were checked. All others keep their state. Null if all were checked.
	 */
	takeAlerts(causes: {
		readonly causes: readonly AlertCause[];
		readonly among: readonly string[] | null;
		readonly now: number;
	}): Promise<TakenAlerts>;
	/** Makes messages that were not received due again. */
	returnAlerts(unsent: TakenAlerts): Promise<void>;
	/** Adds to the count of 5xx responses in a minute. Minutes are counted from the epoch. */
	addServerErrors(counted: { readonly minute: number; readonly errors: number }): Promise<void>;
	/** Counts the 5xx responses that isolates have reported since a minute. */
	sumServerErrors(sinceMinute: number): Promise<number>;
	/** Records that a consumer of the sweeps is working. */
	noteSweep(now: number): Promise<void>;
	/** Returns when a sweep was last recorded. Null before the first. */
	readLastSweep(): Promise<number | null>;
}

export interface TakenAlerts {
	readonly raised: readonly AlertCause[];
	/** Causes that are over, and that operators had been alerted to. */
	readonly ended: readonly ToldAlert[];
}

/** A reported cause, and when it was reported: 0 until the message has been received. */
export interface ToldAlert extends AlertCause {
	readonly toldAt: number;
}

export interface WatchPort extends BreakerPort, AlertPort {}
