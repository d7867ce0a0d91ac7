// The platform writes these data points to Workers Analytics Engine. Columns have only numbers there, so this table defines what each one contains. Only append columns and never move them, because old data points keep theirs.

export const DATA_POINTS = {
	/** Each request writes one. */
	request: {
		texts: ["method", "route", "status_class"],
		numbers: ["status", "ms", "d1_calls", "d1_rows_read", "d1_rows_written", "object_calls"],
	},
	/**
	 * Each attempt at judging writes one when it ends, and so does each job whose time runs out. `outcome` is scored, failed, retried or
	 * deferred, `failure` the class of the fault, `subject` submission or trial. `ms` is the attempt, `job_ms` the time since the job began.
	 */
	evaluation: { texts: ["outcome", "failure", "subject"], numbers: ["ms", "job_ms", "attempts"] },
	/** An attempt at judging writes one for each model that it has asked. */
	judge: { texts: ["model"], numbers: ["calls", "input_tokens", "output_tokens", "cost_micro_usd"] },
	/** Each attempt at a webhook delivery writes one. */
	delivery: { texts: ["result"], numbers: ["ms", "attempt", "status"] },
	/** A sweep writes one each minute. */
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
	/** Each run of a sweep writes one: how many of its parts failed, and how long all took. */
	sweeps: { texts: ["sweep"], numbers: ["failed", "ms"] },
} as const satisfies Readonly<
	Record<
		string,
		{
			/** Texts are blob2, blob3 and so on. blob1 is the kind. */
			readonly texts: readonly string[];
			/** Numbers are double1, double2 and so on. */
			readonly numbers: readonly string[];
		}
	>
>;

export type DataPointKind = keyof typeof DATA_POINTS;

type Texts<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["texts"][number];
type Numbers<Kind extends DataPointKind> = (typeof DATA_POINTS)[Kind]["numbers"][number];

/** A data point has its facts by the names of its columns. */
export type DataPoint<Kind extends DataPointKind> = Readonly<Record<Texts<Kind>, string> & Record<Numbers<Kind>, number>>;
