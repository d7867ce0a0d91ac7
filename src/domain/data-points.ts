// What the platform writes to Workers Analytics Engine. A column of a data point has only a number there, so this table is the
// one place that says what each column contains. Append columns; never move one, because old data points keep their columns.

interface DataPointColumns {
	/** Texts: blob2, blob3 and so on. blob1 is the kind. */
	readonly texts: readonly string[];
	/** Numbers: double1, double2 and so on. */
	readonly numbers: readonly string[];
}

export const DATA_POINTS = {
	/** One for each request. */
	request: {
		texts: ["method", "route", "status_class"],
		numbers: ["status", "ms", "d1_calls", "d1_rows_read", "d1_rows_written", "object_calls"],
	},
	/**
	 * One for each attempt at judging that has ended, and for each job whose time ran out. `outcome` is scored, failed, retried or
	 * deferred, `failure` the class of the fault, `subject` submission or trial. `ms` is the attempt, `job_ms` the time since the job began.
	 */
	evaluation: { texts: ["outcome", "failure", "subject"], numbers: ["ms", "job_ms", "attempts"] },
	/** One for each model that an attempt at judging has asked. */
	judge: { texts: ["model"], numbers: ["calls", "input_tokens", "output_tokens", "cost_micro_usd"] },
	/** One for each attempt at a webhook delivery. */
	delivery: { texts: ["result"], numbers: ["ms", "attempt", "status"] },
	/** One each minute. */
	state: {
		texts: [],
		numbers: [
			"queue_age_seconds",
			"waiting",
			"running",
			"delivery_backlog",
			"delivery_age_seconds",
			"outbox_backlog",
			"d1_size_bytes",
			"watchers",
		],
	},
	/** One for each run of the sweeps: how many of them failed, and how long all took. */
	sweeps: { texts: [], numbers: ["failed", "ms"] },
} as const satisfies Readonly<Record<string, DataPointColumns>>;

export type DataPointKind = keyof typeof DATA_POINTS;

type Texts<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["texts"][number];
type Numbers<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["numbers"][number];

/** The facts of a data point, by the names of its columns. */
export type DataPoint<Kind extends DataPointKind> = Readonly<Record<Texts<Kind>, string> & Record<Numbers<Kind>, number>>;
