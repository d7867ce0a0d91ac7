// Measures how the time of a reader grows with its input. A reader whose time grows with the square of its input needs 64 times as long for
// eight times as much; a linear one eight times as long.

/** The number of characters of the shorter and the longer text. */
const [SHORT, LONG] = [3_000, 24_000];
/** The number of characters for a first look, which leaves out most readers. */
const [FIRST_SHORT, FIRST_LONG] = [1_500, 6_000];
/**
 * If a reader's time grows faster than its input, reading the longest text takes longer than this. So most readers are measured only once.
 */
const QUICK_MS = 40;
/** A reader that is not quick and whose time grows with the square needs at least this long for the first look. */
const FIRST_LOOK_MS = QUICK_MS * (FIRST_LONG / LONG) ** 2;
/**
 * The growth from which a reader is measured. A linear reader has 4, and one whose time grows with the square has 16, or less if part of
 * its time does not grow.
 */
const FIRST_LOOK_GROWTH = 5;
const FIRST_SHORT_READINGS = 3;
/** The clock of the processor has ticks of 4 ms, so the shorter text is read for ten of them, but not more often than this. */
const SHORT_MS = 40;
const SHORT_READINGS = 16;
const LONG_READINGS = 4;
const MIN_MS = 0.1;
/** If the growth is too large, it is measured this many times. The smallest result counts, for the same reason. */
const MEASUREMENTS = 3;
/** Between the 8 of a linear reader, which collecting its garbage can make 25, and the 64 of one whose time grows with the square. */
export const MOST_GROWTH = 40;

/** Reads text. An error that it throws is its answer to text that it rejects. */
export type Reader = (text: string) => unknown;

/** A text of a given length: a beginning, a repeated part and an end. */
export interface Pump {
	readonly start: string;
	readonly part: string;
	readonly end: string;
}

/** Returns how many times as long a reader needs for eight times as much text, or 0 if it is quick. */
export async function growthOf(read: Reader, pump: Pump): Promise<number> {
	if (await isHarmless(read, pump)) return 0;
	let growth = await measure(read, pump);
	for (let more = 1; more < MEASUREMENTS && growth >= MOST_GROWTH; more += 1) growth = Math.min(growth, await measure(read, pump));
	return growth;
}

async function measure(read: Reader, pump: Pump): Promise<number> {
	const longText = fill(pump, LONG);
	let longer = await timeOf(read, longText);
	if (longer < QUICK_MS) return 0;
	const shorter = Math.max(MIN_MS, await timeOf(read, fill(pump, SHORT), SHORT_READINGS));
	// One reading can have to collect the garbage of many.
	for (let more = 1; more < LONG_READINGS && longer / shorter >= MOST_GROWTH; more += 1)
		longer = Math.min(longer, await timeOf(read, longText));
	return longer / shorter;
}

/** Uses the wall clock instead of the processor's clock, whose ticks are too long. So on a busy machine, more readers are measured. */
async function isHarmless(read: Reader, pump: Pump): Promise<boolean> {
	const longer = await clock(read, fill(pump, FIRST_LONG));
	if (longer < FIRST_LOOK_MS) return true;
	const short = fill(pump, FIRST_SHORT);
	let shorter = await clock(read, short);
	for (let more = 1; more < FIRST_SHORT_READINGS && longer / shorter < FIRST_LOOK_GROWTH; more += 1)
		shorter = Math.min(shorter, await clock(read, short));
	return longer / shorter < FIRST_LOOK_GROWTH;
}

async function clock(read: Reader, text: string): Promise<number> {
	const begun = performance.now();
	await readOnce(read, text);
	return performance.now() - begun;
}

function fill({ start, part, end }: Pump, length: number): string {
	return start + part.repeat(Math.max(1, Math.floor((length - start.length - end.length) / part.length))) + end;
}

/**
 * Returns the processor's time for one reading, because a busy machine stops a long reading more often than a short one. Reads the text
 * once, or until SHORT_MS are over.
 */
async function timeOf(read: Reader, text: string, most = 1): Promise<number> {
	const begun = process.threadCpuUsage();
	for (let readings = 1; ; readings += 1) {
		await readOnce(read, text);
		const { user, system } = process.threadCpuUsage(begun);
		const ms = (user + system) / 1_000;
		if (readings >= most || ms >= SHORT_MS) return ms / readings;
	}
}

async function readOnce(read: Reader, text: string): Promise<void> {
	try {
		await read(text);
	} catch {
		// The reader refuses the text, which is an answer too.
	}
}

/** Pieces that readers of many languages stop at. */
const PIECES = [
	..." \t\n\r\0ax0.,:;!?-_=+*/\\|&%#@$~^`'\"()[]{}<>",
	"\r\n",
	"\u2028",
	"\u200b",
	"\u0301",
	"é",
	"本",
	"😀",
	"\ud83d",
	"--",
	"//",
	"/*",
	"*/",
	"<!--",
	"-->",
	"```",
	"**",
	"](",
	"![",
	"${",
	"}}",
	"{{",
	'\\"',
	"\\\\",
	'""',
	"..",
	"./",
	"../",
	"a ",
	" a",
	"a,",
	"a.",
	"a-",
	"a=",
	"a:",
	" #",
	"# ",
	"- ",
	"> ",
	"1. ",
	"| ",
	"a\n",
	"\n ",
	" \n",
	": ",
	"def ",
	"return ",
	"://",
	"http://a",
	"e1",
	"1e",
	"-1",
	"%2",
	"&amp;",
	"<a>",
	"</",
	"]]>",
	'{"a":',
	"[1,",
	"'a'",
	'"a"',
	"W/",
	'"a",',
	"q=",
	"*/*",
	"data:",
	"id:",
	"\u202e",
	"...",
	"…",
];

const PAIRS = 16;

/**
 * Lists texts to pump: each piece repeated, also before an end that no pattern expects, and pairs of pieces.
 *
 * @param own Pieces of the reader's own language.
 */
export function* pumpsFor(own: readonly string[] = []): Generator<Pump, void> {
	const pieces = [...PIECES, ...own];
	for (const part of pieces) for (const end of ["", "\0!"]) yield { start: "", part, end };
	// The strides have no divisor in common with the number of pieces, so each step chooses another pair.
	for (let pair = 0; pair < PAIRS; pair += 1) {
		const [a = "", b = ""] = [pieces[(pair * 37) % pieces.length], pieces[(pair * 61 + 17) % pieces.length]];
		yield { start: a, part: b, end: "\0!" };
		yield { start: "", part: a + b, end: a };
	}
	for (const [index, start] of own.entries()) {
		for (const part of [" ", "a", "\u2028", ...PIECES.filter((_, at) => at % 29 === index % 29)]) yield { start, part, end: "\0!" };
	}
}
