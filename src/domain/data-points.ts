// The data points that the platform writes to Workers Analytics Engine, whose columns have numbers instead of names. This table defines
// what each column contains. Add columns only at the end and never move one, because old data points are not rewritten.

export const DATA_POINTS = {
	/** Written for each request. */
	request: {
		texts: ["method", "route", "status_class"],
		numbers: ["status", "ms", "d1_calls", "d1_rows_read", "d1_rows_written", "object_calls"],
	},
	/**
	 * Written when an attempt at judging ends, and when a job runs out of time. `outcome` is scored, failed, retried or deferred. `failure` is
	 * the class of the fault. `subject` is submission or trial. `ms` is the attempt's duration. `job_ms` is the time since the job was
	 * queued.
	 */
	evaluation: { texts: ["outcome", "failure", "subject"], numbers: ["ms", "job_ms", "attempts"] },
	/** Written for each model that an attempt at judging asked. */
	judge: { texts: ["model"], numbers: ["calls", "input_tokens", "output_tokens", "cost_micro_usd"] },
	/** Written for each attempt at a webhook delivery. */
	delivery: { texts: ["result"], numbers: ["ms", "attempt", "status"] },
	/** Written by a sweep every minute. */
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
			"stuck",
		],
	},
	/** Written for each run of a sweep: how many of its parts failed, and how long the run took. */
	sweeps: { texts: ["sweep"], numbers: ["failed", "ms"] },
} as const satisfies Readonly<
	Record<
		string,
		{
			/** The names of the columns blob2, blob3 and so on. blob1 is the kind of the data point. */
			readonly texts: readonly string[];
			/** The names of the columns double1, double2 and so on. */
			readonly numbers: readonly string[];
		}
	>
>;

export type DataPointKind = keyof typeof DATA_POINTS;

type Texts<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["texts"][number];
type Numbers<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["numbers"][number];

/** A data point's values, keyed by column name. */
export type DataPoint<Kind extends DataPointKind> = Readonly<Record<Texts<Kind>, string> & Record<Numbers<Kind>, number>>;
