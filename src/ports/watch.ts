// The Durable Object `Watch` stores what all isolates must know, and what must still work if the database fails.

/** The state of a supplier of models, as all isolates see it. */
export interface SupplierState {
	/** The supplier's name in the settings. Empty if there is only one server. */
	readonly supplier: string;
	/** When the platform stopped calling the supplier, in milliseconds since the epoch. Null while the supplier is in use. */
	readonly openSince: number | null;
	/** True if the supplier has had faults, so that consumers must also report its successes. */
	readonly hasFaults: boolean;
	/** The supplier's own message about its last fault, which only operators see. */
	readonly words: string | null;
}

/** A fault for which the supplier itself is to blame. */
export interface SupplierFault {
	readonly supplier: string;
	/** The submission or trial that was being judged. */
	readonly subjectId: string;
	readonly words: string | null;
	readonly at: number;
	/** When this isolate sent its last call that succeeded. Null if none has. */
	readonly answeredAt: number | null;
}

/** The result of {@link BreakerPort.takeTry}. While a supplier is skipped, one caller per minute may try it. */
export interface SupplierTry {
	/** When the platform stopped calling the supplier. Null if it is in use again. */
	readonly openSince: number | null;
	/** True if the caller gets this minute's try. */
	readonly mayTry: boolean;
	/** When the next try is possible. */
	readonly nextTryAt: number;
}

/** The circuit breaker of suppliers of models. Callers pass the time, so that all times are from the callers' clock. */
export interface BreakerPort {
	readSuppliers(now: number): Promise<readonly SupplierState[]>;
	noteFault(fault: SupplierFault): Promise<void>;
	/** Records that a call succeeded. `sentAt` is when it was sent. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): Promise<void>;
	takeTry(wanted: { readonly supplier: string; readonly now: number }): Promise<SupplierTry>;
}

/** A reason to alert operators. A cause that lasts, with the same name each time, is reported again every hour. */
export interface AlertCause {
	readonly name: string;
	readonly text: string;
}

/** Remembers which alerts were sent. The object stores this itself, because the database may be what fails. */
export interface AlertPort {
	/**
	 * Returns the messages that are due, and marks them as sent, so that two parallel runs send each of them only once.
	 *
	 * @param among The names of the causes that the caller has looked for. All others keep their state. Null if the caller has looked for
	 * every cause.
	 */
	takeAlerts(causes: {
		readonly causes: readonly AlertCause[];
		readonly among: readonly string[] | null;
		readonly now: number;
	}): Promise<TakenAlerts>;
	/** Makes undelivered messages due again. */
	returnAlerts(unsent: TakenAlerts): Promise<void>;
	/** Adds to the count of 5xx responses in a minute. Minutes are counted from the epoch. */
	addServerErrors(counted: { readonly minute: number; readonly errors: number }): Promise<void>;
	/** Returns the number of 5xx responses that isolates have reported for this minute and later ones. */
	sumServerErrors(sinceMinute: number): Promise<number>;
	/** Records that a sweep is running, which shows that the queue of the sweeps works. */
	noteSweep(now: number): Promise<void>;
	/** Returns when a sweep was last recorded. Null before the first. */
	readLastSweep(): Promise<number | null>;
}

export interface TakenAlerts {
	readonly raised: readonly AlertCause[];
	/** The causes that are over, and to which operators had been alerted. */
	readonly ended: readonly ToldAlert[];
}

/** A cause that was reported to operators. `toldAt` is when, in milliseconds since the epoch. It is 0 if the last message was not sent. */
export interface ToldAlert extends AlertCause {
	readonly toldAt: number;
}

export interface WatchPort extends BreakerPort, AlertPort {}
