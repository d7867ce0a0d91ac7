// Computes the monthly cost of a deployment, from Cloudflare's price list and the resources that one judged submission uses.

/** Counts per judged submission with a webhook. Tests fail if the platform exceeds them (test/api/rows-written.test.ts). */
export const COUNTED: Readonly<Record<"d1Calls" | "d1RowsWritten" | "objectRowsWritten", number>> = {
	d1Calls: 7,
	d1RowsWritten: 16,
	objectRowsWritten: 25,
};

/**
 * The sequential round trips of a quick-submit whose key no isolate has cached. Writing the card is not included. A test asserts them
 * (test/api/budgets.test.ts).
 */
export const COLD_QUICK_SUBMIT = { d1_calls: 1, object_calls: 1 } as const;

/** The share of traces that `wrangler.toml` keeps. */
const TRACED_SHARE = 0.05;

/** Assumptions that were not measured in a deployment. The page shows them, so that readers can replace them. */
export const ASSUMED = {
	workerRequests: 12,
	cpuMs: 200,
	objectRequests: 12,
	objectGbSeconds: 1.25,
	queueOperations: 6,
	/** How many times the task's object sets its alarm. Each time writes a row. */
	alarmRows: 3,
	/** Rows of the inboxes of the agent and the poster, including alarms. */
	inboxRows: 8,
	bucketWrites: 3,
	bucketReads: 6,
	logLines: 3,
	/** A request has about 20 spans, and `wrangler.toml` keeps the traces of some requests. */
	traceSpans: TRACED_SHARE * 12 * 20,
	dataPoints: 15,
	/** The bytes in D1 that `npm run bench -- storage` prints. */
	d1Bytes: 381,
	objectBytes: 6_000,
	bucketBytes: 125_000,
} as const;

/** A task copies itself a day after a change, and when it ends. Tasks have 20 submissions in these examples. */
const COPY = { perTask: 2, submissionsPerTask: 20, bucketWrites: 12, gbSeconds: 0.25, bytesPerSubmission: 1_500 } as const;

/** A watcher's stream is reopened every 255 seconds on average. */
const OPENINGS_PER_MONTH = 10_200;
const REQUESTS_PER_OPENING = { worker: 1, object: 4 } as const;
/** For each watcher that connects, a relay is awake for a second, with 128 MB. */
const RELAY_GB_SECONDS_PER_OPENING = 0.125;
/** The maximum size of a database. */
const MAX_D1_GB = 10;
const DAYS = 30;
/** Storage grows, so the table has its monthly cost after a year. */
const STORED_DAYS = 365;
const GB = 1e9;
const MILLION = 1e6;
const PLAN_USD = 5;
/** Each criterion takes one request per sample: in the page's example, 8 criteria with 1 sample each, at half a cent per request. */
const MODEL_USD_PER_SUBMISSION = 0.04;

/** Cloudflare's prices in the Workers Paid plan: US dollars for each unit above the included ones. */
const PRICES = {
	workerRequests: { included: 10, usd: 0.3 },
	cpuMs: { included: 30, usd: 0.02 },
	objectRequests: { included: 1, usd: 0.15 },
	objectGbSeconds: { included: 0.4, usd: 12.5 },
	d1RowsWritten: { included: 50, usd: 1 },
	objectRowsWritten: { included: 50, usd: 1 },
	queueOperations: { included: 1, usd: 0.4 },
	bucketWrites: { included: 1, usd: 4.5 },
	bucketReads: { included: 10, usd: 0.36 },
	logLines: { included: 20, usd: 0.6 },
	traceSpans: { included: 10, usd: 0.6 },
	dataPoints: { included: 10, usd: 0.25 },
	d1Gb: { included: 5, usd: 0.75 },
	objectGb: { included: 5, usd: 0.2 },
	bucketGb: { included: 10, usd: 0.015 },
} as const;

interface Size {
	readonly submissionsPerDay: number;
	readonly watchers: number;
}

const SIZES: readonly Size[] = [
	{ submissionsPerDay: 30, watchers: 10 },
	{ submissionsPerDay: 10_000, watchers: 500 },
	{ submissionsPerDay: 1_000_000, watchers: 100_000 },
];

/** Counts the units of a month in millions, and storage in GB after a year. */
function unitsOf({ submissionsPerDay, watchers }: Size): Record<keyof typeof PRICES, number> {
	const submissions = submissionsPerDay * DAYS;
	const millions = (each: number) => (submissions * each) / MILLION;
	const openings = (watchers * OPENINGS_PER_MONTH) / MILLION;
	const copies = COPY.perTask / COPY.submissionsPerTask;
	const stored = (bytes: number) => (submissionsPerDay * STORED_DAYS * bytes) / GB;
	return {
		workerRequests: millions(ASSUMED.workerRequests) + openings * REQUESTS_PER_OPENING.worker,
		cpuMs: millions(ASSUMED.cpuMs),
		objectRequests: millions(ASSUMED.objectRequests) + openings * REQUESTS_PER_OPENING.object,
		objectGbSeconds: millions(ASSUMED.objectGbSeconds + copies * COPY.gbSeconds) + openings * RELAY_GB_SECONDS_PER_OPENING,
		d1RowsWritten: millions(COUNTED.d1RowsWritten),
		objectRowsWritten: millions(COUNTED.objectRowsWritten + ASSUMED.alarmRows + ASSUMED.inboxRows),
		queueOperations: millions(ASSUMED.queueOperations),
		bucketWrites: millions(ASSUMED.bucketWrites + copies * COPY.bucketWrites),
		bucketReads: millions(ASSUMED.bucketReads),
		logLines: millions(ASSUMED.logLines),
		traceSpans: millions(ASSUMED.traceSpans),
		dataPoints: millions(ASSUMED.dataPoints) + openings,
		d1Gb: Math.min(MAX_D1_GB, stored(ASSUMED.d1Bytes)),
		objectGb: stored(ASSUMED.objectBytes),
		bucketGb: stored(ASSUMED.bucketBytes + COPY.bytesPerSubmission),
	};
}

/** The lines of the table, with the units that each line adds up. */
const LINES: Readonly<Record<string, readonly (keyof typeof PRICES)[]>> = {
	"Workers: requests, CPU time": ["workerRequests", "cpuMs"],
	"Durable Objects: requests, time": ["objectRequests", "objectGbSeconds"],
	"Durable Objects: rows written": ["objectRowsWritten"],
	"D1: rows written": ["d1RowsWritten"],
	Queues: ["queueOperations"],
	"R2: writes and reads": ["bucketWrites", "bucketReads"],
	"Logs, traces, data points": ["logLines", "traceSpans", "dataPoints"],
	"Storage after a year: D1, objects, R2": ["d1Gb", "objectGb", "bucketGb"],
};

const format = (usd: number): string => Math.round(usd).toLocaleString("en");
const row = (name: string, cells: readonly string[]): string => `| ${[name, ...cells].join(" | ")} |`;

/** Returns the number of days until D1 is full. */
export function daysUntilFull(submissionsPerDay: number): number {
	return Math.floor((MAX_D1_GB * GB) / (submissionsPerDay * ASSUMED.d1Bytes));
}

/** Returns the table in Markdown: US dollars per month, with a column for each size. */
export function costTable(): string {
	const columns = SIZES.map((size) => {
		const units = unitsOf(size);
		const cost = (name: keyof typeof PRICES) => Math.max(0, units[name] - PRICES[name].included) * PRICES[name].usd;
		return Object.values(LINES).map((names) => names.reduce((sum, name) => sum + cost(name), 0));
	});
	const total = columns.map((costs) => costs.reduce((sum, usd) => sum + usd, PLAN_USD));
	const models = SIZES.map(({ submissionsPerDay }) => submissionsPerDay * DAYS * MODEL_USD_PER_SUBMISSION);
	return [
		row(
			"Submissions a day",
			SIZES.map(({ submissionsPerDay }) => submissionsPerDay.toLocaleString("en")),
		),
		row(
			"---",
			SIZES.map(() => "---:"),
		),
		row(
			"Watchers at the same time",
			SIZES.map(({ watchers }) => watchers.toLocaleString("en")),
		),
		row(
			"Price of the plan",
			SIZES.map(() => format(PLAN_USD)),
		),
		...Object.keys(LINES).map((name, index) =>
			row(
				name,
				columns.map((costs) => format(costs[index] ?? 0)),
			),
		),
		row(
			"**Without models**",
			total.map((usd) => `**${format(usd)}**`),
		),
		row(
			"Days until D1 is full",
			SIZES.map(({ submissionsPerDay }) => format(daysUntilFull(submissionsPerDay))),
		),
		row("Models, at 0.04 for a submission", models.map(format)),
	].join("\n");
}
