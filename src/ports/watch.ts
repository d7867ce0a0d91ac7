// One object of the deployment, `Watch`, remembers what every isolate must know and what must not depend on the database.

/** All isolates see this of a supplier of models. */
export interface SupplierState {
	/** Settings name the supplier like this. Empty for the only server. */
	readonly supplier: string;
	/** The supplier has not been called since then, in milliseconds since the epoch. Null while it is called. */
	readonly openSince: number | null;
	/** True if consumers must report what the supplier answers. */
	readonly hasFaults: boolean;
	/** The supplier's own words about its last fault. Only operators read them. */
	readonly words: string | null;
}

/** A consumer has found that the supplier itself is at fault. */
export interface SupplierFault {
	readonly supplier: string;
	/** The submission or trial that was being judged. */
	readonly subjectId: string;
	readonly words: string | null;
	readonly at: number;
	/** When the last call of this isolate that the supplier answered was sent. Null if there was none. */
	readonly answeredAt: number | null;
}

/** Each supplier that is not called gets one try a minute. */
export interface SupplierTry {
	/** Null if the supplier is called again. */
	readonly openSince: number | null;
	/** The caller has this minute's try. */
	readonly mayTry: boolean;
	/** No one gets another try before this time. */
	readonly nextTryAt: number;
}

/** The breaker of suppliers. Every caller says what time it is, so that all parts follow one clock. */
export interface BreakerPort {
	readSuppliers(now: number): Promise<readonly SupplierState[]>;
	noteFault(fault: SupplierFault): Promise<void>;
	/** A call that was sent at this time was answered. */
	noteAnswer(answer: { readonly supplier: string; readonly sentAt: number }): Promise<void>;
	takeTry(wanted: { readonly supplier: string; readonly now: number }): Promise<SupplierTry>;
}

/** Operators must know this. A cause has one name, so a message about it is not repeated within an hour. */
export interface AlertCause {
	readonly name: string;
	readonly text: string;
}

/** The object remembers what operators have been told. The database cannot, because it may be what fails. */
export interface AlertPort {
	/**
	 * Claims the messages that are due, so that two runs at once send each of them once.
	 *
	 * @param among Only these causes were looked at. The others stay as they are. Null for all.
	 */
	takeAlerts(causes: {
		readonly causes: readonly AlertCause[];
		readonly among: readonly string[] | null;
		readonly now: number;
	}): Promise<TakenAlerts>;
	/** Makes messages due again that no one has received. */
	returnAlerts(unsent: TakenAlerts): Promise<void>;
	/** Adds responses with 5xx. Minutes count from the epoch. */
	addServerErrors(counted: { readonly minute: number; readonly errors: number }): Promise<void>;
	/** Sums the responses with 5xx since a minute, as far as isolates have reported them. */
	sumServerErrors(sinceMinute: number): Promise<number>;
	/** A consumer of the sweeps works. */
	noteSweep(now: number): Promise<void>;
	/** Returns when a consumer last said so. Null before the first time. */
	readLastSweep(): Promise<number | null>;
}

export interface TakenAlerts {
	readonly raised: readonly AlertCause[];
	/** These causes are over, and operators had been told of them. */
	readonly ended: readonly ToldAlert[];
}

/** Operators have been told of a cause at this time. It is 0 if no one has received the message yet. */
export interface ToldAlert extends AlertCause {
	readonly toldAt: number;
}

export interface WatchPort extends BreakerPort, AlertPort {}
