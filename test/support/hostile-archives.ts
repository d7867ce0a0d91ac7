// Lists zips that must be refused, each with the reason.
import { deflateSync, strToU8, zipSync } from "fflate";
import {
	buildEnd,
	buildZip,
	bytesOf,
	concat,
	crc32,
	extraField,
	GOOD_ENTRIES,
	goodZipWith,
	unicodePathField,
	withEntry,
	type ZipEntry,
	zip64Field,
} from "./archives.ts";

export interface HostileArchive {
	readonly name: string;
	readonly zip: () => Uint8Array;
	readonly reason: RegExp;
}

function hostile(name: string, reason: RegExp, zip: () => Uint8Array): HostileArchive {
	return { name, reason, zip };
}

const TEXT = "a line of text\n".repeat(20);
const CUT_OFF = /truncated|not a zip/;
const LAYOUT = /overlaps|do not belong to any entry|no header|precedes|directory is truncated|cannot be read/;
const UNREADABLE = /cannot be read|larger than|smaller than/;

/** Adds one entry with a false header. */
function lie(name: string, reason: RegExp, entry: Partial<ZipEntry>): HostileArchive {
	return hostile(name, reason, () => withEntry({ name: "lie.txt", content: TEXT, ...entry }));
}

function named(what: string, name: string | Uint8Array, reason = /has a name that/): HostileArchive {
	return hostile(`a name that ${what}`, reason, () => withEntry({ name, content: "x" }));
}

function moded(what: string, type: number): HostileArchive {
	return hostile(what, /link or a device/, () =>
		withEntry({ name: "thing", content: "/etc/passwd", central: { attributes: (type + 0o777) * 65_536 } }),
	);
}

function pair(what: string, first: string, second: string, reason = /occurs twice/): HostileArchive {
	return hostile(what, reason, () =>
		goodZipWith([
			{ name: first, content: "1" },
			{ name: second, content: "2" },
		]),
	);
}

const LYING_SIZES: readonly HostileArchive[] = [
	lie("an unpacked size that is too small", UNREADABLE, { method: 8, local: { unpacked: 10 }, central: { unpacked: 10 } }),
	lie("an unpacked size that is too large", UNREADABLE, { method: 8, local: { unpacked: 900 }, central: { unpacked: 900 } }),
	lie("a packed size that is too small", /do not belong to any entry|cannot be read/, {
		method: 8,
		local: { packed: 5 },
		central: { packed: 5 },
	}),
	lie("a packed size that is too large", /overlaps|cannot be read/, { method: 8, local: { packed: 5000 }, central: { packed: 5000 } }),
	lie("a stored entry of two sizes", UNREADABLE, { local: { unpacked: 10 }, central: { unpacked: 10 } }),
	lie("a size of 4 GB", /more than 100 MB/, { local: { unpacked: 0xfffffffe }, central: { unpacked: 0xfffffffe } }),
	lie("a wrong checksum", UNREADABLE, { local: { crc: 1 }, central: { crc: 1 } }),
	lie("content that is not deflated", UNREADABLE, { method: 8, packed: strToU8("\u0007 this is no deflate stream") }),
	lie("content that is cut off", UNREADABLE, { method: 8, packed: deflateSync(strToU8(TEXT)).subarray(0, 8) }),
	lie("bytes behind the end of the deflated content", UNREADABLE, {
		method: 8,
		packed: concat(deflateSync(strToU8(TEXT)), strToU8("hidden")),
	}),
];

const CONTRADICTIONS: readonly HostileArchive[] = [
	lie("another name in the local header", UNREADABLE, { local: { name: strToU8("LIE.txt") } }),
	lie("a longer name in the local header", LAYOUT, { local: { name: strToU8("another-name.txt") } }),
	lie("another method in the local header", UNREADABLE, { local: { method: 8 } }),
	lie("another unpacked size in the local header", UNREADABLE, { local: { unpacked: 1 } }),
	lie("another packed size in the local header", UNREADABLE, { local: { packed: 1 } }),
	lie("another checksum in the local header", UNREADABLE, { local: { crc: 7 } }),
	lie("flags of encryption in the local header alone", UNREADABLE, { local: { flags: 0x801 } }),
	lie("a descriptor that contradicts the directory", UNREADABLE, { descriptor: true, central: { crc: 9 } }),
	lie("a Unicode path that renames it", /has a name that|cannot be read/, {
		local: { extra: unicodePathField(strToU8("lie.txt"), "../../evil.sh") },
		central: { extra: unicodePathField(strToU8("lie.txt"), "../../evil.sh") },
	}),
	lie("a Unicode path that renames it harmlessly", /has a name that|cannot be read/, {
		central: { extra: unicodePathField(strToU8("lie.txt"), "other.txt") },
	}),
	lie("zip64 sizes that lie", /do not belong to any entry|cannot be read/, {
		local: { packed: 0xffffffff, unpacked: 0xffffffff, extra: zip64Field(10, 10) },
		central: { packed: 0xffffffff, unpacked: 0xffffffff, extra: zip64Field(10, 10) },
	}),
	lie("zip64 sizes beyond the file", /overlaps|cannot be read|more than/, {
		central: { packed: 0xffffffff, unpacked: 0xffffffff, extra: zip64Field(50_000_000, 50_000_000) },
	}),
	lie("a zip64 offset beyond the file", LAYOUT, { central: { offset: 0xffffffff, extra: zip64Field(2 ** 40) } }),
	lie("zip64 sizes that are missing", /cannot be read|more than|overlaps/, { central: { packed: 0xffffffff, unpacked: 0xffffffff } }),
];

const KINDS: readonly HostileArchive[] = [
	moded("a symbolic link", 0o120000),
	moded("a character device", 0o020000),
	moded("a block device", 0o060000),
	moded("a named pipe", 0o010000),
	moded("a socket", 0o140000),
	lie("an encrypted entry", /encrypted|cannot be read/, { local: { flags: 0x801 }, central: { flags: 0x801 } }),
	lie("strong encryption", /encrypted|cannot be read/, { local: { flags: 0x841 }, central: { flags: 0x841 } }),
	...[1, 6, 9, 12, 14, 93, 95, 98, 99].map((method) =>
		lie(`compression method ${method}`, /compression method|encrypted|cannot be read/, { local: { method }, central: { method } }),
	),
	hostile("a folder with content", /folder with content|cannot be read/, () => withEntry({ name: "folder/", content: "hidden" })),
];

const NAMES: readonly HostileArchive[] = [
	named("is absolute", "/etc/passwd"),
	named("climbs", "../outside.txt"),
	named("climbs from within", "a/../../outside.txt"),
	named("has a dot segment", "a/./b.txt"),
	named("has an empty segment", "a//b.txt"),
	named("is a dot", "."),
	named("is empty", "", /has a name that|cannot be read/),
	named("has backslashes", "..\\outside.txt"),
	named("has a drive", "C:/windows/system.ini"),
	named("has a NUL", "good.txt\0.sh"),
	named("has an escape", "a\u001b[2Jb.txt"),
	named("has a line break", "a\nb.txt"),
	named("overrides its direction", "exe.\u202etxt"),
	named("isolates its direction", "a\u2066b.txt"),
	named("is no UTF-8", new Uint8Array([0x61, 0xff, 0xfe, 0x62]), /not plain UTF-8|cannot be read/),
	named("is overlong UTF-8", new Uint8Array([0x2e, 0x2e, 0xc0, 0xaf, 0x61]), /not plain UTF-8|cannot be read/),
	named("is a surrogate in UTF-8", new Uint8Array([0x61, 0xed, 0xa0, 0x80]), /not plain UTF-8|cannot be read/),
	named("is too long", `${"a/".repeat(256)}b.txt`),
	named("is too long for a file", "x".repeat(256), /it must have at most 255 bytes in each part between slashes/),
	named("is too long for a file in UTF-8", `a/${"é".repeat(128)}`, /it must have at most 255 bytes in each part between slashes/),
	hostile("a folder whose name is too long", /it must have at most 255 bytes/, () =>
		goodZipWith([{ name: `${"x".repeat(256)}/` }, { name: `${"x".repeat(256)}/a`, content: "1" }]),
	),
	hostile("a name in a code page", /not plain UTF-8/, () =>
		withEntry({ name: new Uint8Array([0x81, 0x2e, 0x63]), content: "x", local: { flags: 0 }, central: { flags: 0 } }),
	),
	hostile("a folder that climbs", /has a name that/, () => withEntry({ name: "../", content: "" })),
	pair("the same name twice", "a.txt", "a.txt", /occurs twice|cannot be read/),
	pair("names equal but for case", "readme.txt", "README.txt"),
	pair("names equal but for Unicode form", "caf\u00e9.txt", "cafe\u0301.txt"),
	pair("names equal but for case beyond ASCII", "stra\u00dfe.txt", "STRASSE.txt"),
	pair("a second SUBMISSION.md in lower case", "a.txt", "submission.md"),
	pair("a file that is also a folder", "src", "src/index.js", /which is a file/),
	hostile("a file that is also a folder of its own", /occurs twice/, () => goodZipWith([{ name: "src", content: "1" }, { name: "src/" }])),
	pair("a folder that differs from a file but for case", "LIB/a.js", "lib", /which is a file/),
];

/** Writes several records that share one file's data, so that little data unpacks to much. */
function sharing(entries: readonly ZipEntry[]): Uint8Array {
	return goodZipWith(entries);
}

function deflatedZeros(bytes: number): Uint8Array {
	return deflateSync(new Uint8Array(bytes), { level: 9 });
}

/** Returns an entry of zeros that are already packed, so that a list of such entries is built quickly. */
function zeros(name: string, bytes: number, packed: Uint8Array): ZipEntry {
	const sizes = { unpacked: bytes, crc: 0 };
	return { name, method: 8, packed, local: sizes, central: sizes };
}

const FIRST_OFFSET = { offset: 0 };
const MB = 1_048_576;

const BOMBS: readonly HostileArchive[] = [
	hostile("42 kB that unpack to 41 MB", /200 to 1/, () => withEntry(zeros("bomb", 41 * MB, deflatedZeros(41 * MB)))),
	hostile("one byte more than 5 MB, packed 1,000 to 1", /200 to 1/, () => withEntry(zeros("bomb", 5 * MB + 1, deflatedZeros(5 * MB + 1)))),
	hostile("names of more than 2 MB together", /directory is too large/, () => {
		const names = Array.from({ length: 4_900 }, (_, index) => [`${"name/".repeat(85)}${index}`, new Uint8Array()] as const);
		return zipSync({ "SUBMISSION.md": strToU8("# What I Built\n"), ...Object.fromEntries(names) }, { level: 0 });
	}),
	hostile("a size of more than 100 MB", /more than 100 MB/, () => withEntry(zeros("bomb", 101 * MB, deflatedZeros(MB)))),
	hostile("six entries of 90 MB", /more than 500 MB/, () => {
		const packed = new Uint8Array(500_000);
		return goodZipWith(Array.from({ length: 6 }, (_, index) => zeros(`part${index}`, 90 * MB, packed)));
	}),
	hostile("many entries that point at one block", LAYOUT, () =>
		sharing(
			Array.from({ length: 200 }, (_, index) => ({
				name: `copy${index}`,
				content: TEXT,
				isDirectoryOnly: index > 0,
				central: FIRST_OFFSET,
			})),
		),
	),
	hostile("two entries that overlap by half", LAYOUT, () => {
		const first = { name: "a", content: TEXT };
		return buildZip({
			entries: [first, { name: "b", content: TEXT.slice(100), isDirectoryOnly: true, central: { offset: 100 } }, ...GOOD_ENTRIES],
		});
	}),
	hostile("an entry that points into the directory", LAYOUT, () =>
		withEntry({ name: "b", content: TEXT, isDirectoryOnly: true, central: { offset: goodZipWith().byteLength - 300 } }),
	),
	hostile("an entry that points behind the end", LAYOUT, () =>
		withEntry({ name: "b", content: TEXT, isDirectoryOnly: true, central: { offset: 0xfffffff0 } }),
	),
	hostile("an entry that is quoted inside another", LAYOUT, () => {
		const inner = withEntry({ name: "inner", content: TEXT });
		return buildZip({
			entries: [
				{ name: "outer", content: inner },
				{ name: "inner", content: TEXT, isDirectoryOnly: true, central: { offset: 40 } },
				...GOOD_ENTRIES,
			],
		});
	}),
	hostile("60,000 empty entries", /more than 5000 entries/, () => manyEntries(60_000)),
	hostile("5,001 empty entries", /more than 5000 entries/, () => manyEntries(5_001)),
	hostile("60,000 empty entries announced as 3", /cannot be read|directory/, () => manyEntries(60_000, { entries: 3, entriesHere: 3 })),
];

function manyEntries(count: number, end = {}): Uint8Array {
	const names = Array.from({ length: count }, (_, index) => [`e${index}`, new Uint8Array()] as const);
	const zip = zipSync(Object.fromEntries(names), { level: 0 });
	const view = new DataView(zip.buffer, zip.byteLength - 22);
	const announced = { entries: count, entriesHere: count, ...end };
	view.setUint16(8, announced.entriesHere, true);
	view.setUint16(10, announced.entries, true);
	return zip;
}

const GOOD = goodZipWith();
const DIRECTORY_OFFSET = new DataView(GOOD.buffer, GOOD.byteLength - 22).getUint32(16, true);
const HIDDEN = strToU8("hidden bytes that no entry has");

const STRUCTURE: readonly HostileArchive[] = [
	hostile("nothing at all", CUT_OFF, () => new Uint8Array()),
	hostile("one byte", CUT_OFF, () => new Uint8Array([0x50])),
	hostile("text", CUT_OFF, () => strToU8("This is no zip.".repeat(100))),
	hostile("a gzip stream", CUT_OFF, () => new Uint8Array([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
	hostile("an end record alone that announces a directory", /directory/, () =>
		buildEnd({ disk: 0, entriesHere: 1, entries: 1, directoryBytes: 46, directoryOffset: 0, commentBytes: 0 }),
	),
	hostile("cut off in the first header", CUT_OFF, () => GOOD.subarray(0, 20)),
	hostile("cut off in the content", CUT_OFF, () => GOOD.subarray(0, 100)),
	hostile("cut off in the directory", CUT_OFF, () => GOOD.subarray(0, DIRECTORY_OFFSET + 30)),
	hostile("cut off in the end record", CUT_OFF, () => GOOD.subarray(0, GOOD.byteLength - 5)),
	hostile("cut off in its comment", CUT_OFF, () => goodZipWith([], { comment: strToU8("a comment") }).subarray(0, -3)),
	hostile("cut off at the start", LAYOUT, () => GOOD.subarray(10)),
	hostile("without its content", LAYOUT, () => GOOD.subarray(DIRECTORY_OFFSET)),
	hostile("a count that is too low", /cannot be read|directory/, () => goodZipWith([], { end: { entries: 2, entriesHere: 2 } })),
	hostile("a count that is too high", /cannot be read|directory/, () => goodZipWith([], { end: { entries: 9, entriesHere: 9 } })),
	hostile("two counts that differ", /split/, () => goodZipWith([], { end: { entriesHere: 1 } })),
	hostile("a part of a split zip", /cannot be read|directory/, () => goodZipWith([], { end: { disk: 1 } })),
	hostile("a directory that is announced too small", /directory/, () => goodZipWith([], { end: { directoryBytes: 60 } })),
	hostile("a directory that is announced too large", /directory/, () => goodZipWith([], { end: { directoryBytes: 9_000_000 } })),
	hostile("a directory at another place", /directory/, () => goodZipWith([], { end: { directoryOffset: 5 } })),
	hostile("a comment length that is too small", CUT_OFF, () => goodZipWith([], { comment: HIDDEN, end: { commentBytes: 3 } })),
	hostile("a comment length that is too large", CUT_OFF, () => goodZipWith([], { end: { commentBytes: 3 } })),
	hostile("a second end record in the comment", /ambiguous|end record|cannot be read|directory/i, () =>
		goodZipWith([], { comment: buildEnd({ disk: 0, entriesHere: 0, entries: 0, directoryBytes: 0, directoryOffset: 0, commentBytes: 0 }) }),
	),
	hostile("a whole second zip in the comment", /ambiguous|end record|cannot be read|directory|precedes/i, () =>
		goodZipWith([], { comment: GOOD }),
	),
	hostile("another zip in front", LAYOUT, () => concat(withEntry({ name: "first.txt", content: "1" }), GOOD)),
	hostile("bytes in front", LAYOUT, () => concat(HIDDEN, GOOD)),
	hostile("bytes in front that the offsets know of", LAYOUT, () => goodZipWith([], { prefix: HIDDEN })),
	hostile("bytes at the end", CUT_OFF, () => goodZipWith([], { suffix: HIDDEN })),
	hostile("bytes between two entries", LAYOUT, () => withEntry({ name: "a", content: "1", gap: HIDDEN })),
	hostile("an entry that the directory does not list", LAYOUT, () => withEntry({ name: "a", content: "1", gap: GOOD.subarray(0, 80) })),
	hostile("bytes in front of the directory", LAYOUT, () => goodZipWith([], { beforeDirectory: HIDDEN })),
	hostile("bytes behind the directory", /directory/, () => goodZipWith([], { beforeEnd: HIDDEN })),
	hostile("a zip64 record that contradicts the plain one", /contradict|cannot be read|directory/, () =>
		goodZipWith([], { zip64: {}, end: { entries: 2, entriesHere: 2, directoryBytes: 99, directoryOffset: 0 } }),
	),
	hostile("a zip64 record with too many entries", /more than 5000 entries/, () => goodZipWith([], { zip64: { entries: 2 ** 40 } })),
	hostile("a zip64 record with too few entries", /cannot be read|directory/, () => goodZipWith([], { zip64: { entries: 1 } })),
	hostile("a zip64 directory at another place", /directory/, () => goodZipWith([], { zip64: { directoryOffset: 2 ** 50 } })),
	hostile("a zip64 record at another place", /end record/, () => goodZipWith([], { zip64: { recordOffset: 0 } })),
	hostile("a zip64 record beyond the file", /end record/, () => goodZipWith([], { zip64: { recordOffset: 2 ** 52 } })),
	hostile("zip64 that is announced and missing", /cannot be read|directory|entries/, () =>
		goodZipWith([], { end: { entries: 0xffff, entriesHere: 0xffff, directoryBytes: 0xffffffff, directoryOffset: 0xffffffff } }),
	),
	hostile("a SUBMISSION.md of more than 1 MB", /SUBMISSION\.md is larger/, () => {
		return buildZip({ entries: [{ name: "SUBMISSION.md", content: new Uint8Array(MB + 1).fill(10) }] });
	}),
];

/** Lists every kind of zip that is refused. */
export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [...STRUCTURE, ...LYING_SIZES, ...CONTRADICTIONS, ...KINDS, ...NAMES, ...BOMBS];

/** Unusual zips that must be accepted. */
export const UNUSUAL_ARCHIVES: Readonly<Record<string, () => Uint8Array>> = {
	"zip64 records": () => goodZipWith([], { zip64: {} }),
	"zip64 sizes": () =>
		withEntry({
			name: "big.txt",
			content: TEXT,
			local: { packed: 0xffffffff, unpacked: 0xffffffff, extra: zip64Field(TEXT.length, TEXT.length) },
			central: { packed: 0xffffffff, unpacked: 0xffffffff, extra: zip64Field(TEXT.length, TEXT.length) },
		}),
	"a data descriptor": () => withEntry({ name: "streamed.txt", content: TEXT, method: 8, descriptor: true }),
	"a huge comment": () => goodZipWith([], { comment: new Uint8Array(65_535).fill(0x20) }),
	"an unknown extra field": () =>
		withEntry({
			name: "extra.txt",
			content: TEXT,
			local: { extra: extraField(0x7a7a, bytesOf(TEXT)) },
			central: { extra: extraField(0x7a7a, strToU8("short")) },
		}),
	"folders of their own": () => goodZipWith([{ name: "src/" }, { name: "src/lib/" }, { name: "src/lib/a.js", content: "export {};" }]),
	"names as long as file systems take": () =>
		goodZipWith([
			{ name: `${"x".repeat(255)}/${"é".repeat(127)}`, content: "1" },
			{ name: "y".repeat(255), content: "2" },
		]),
	"a zip in the zip": () => withEntry({ name: "inner.zip", content: GOOD }),
	"a zip in a zip in the zip, down to the sixth": () => nest(GOOD, 6),
	"5 MB packed 1,000 to 1": () => withEntry({ name: "zeros.csv", content: new Uint8Array(5 * MB), method: 8 }),
	"an empty file": () => withEntry({ name: "empty.txt", content: "" }),
	"files called like parts of every object": () =>
		goodZipWith(["constructor", "__proto__", "toString", "hasOwnProperty.js", "__proto__.json"].map((name) => ({ name, content: "1" }))),
	"checksums that are zero": () => withEntry({ name: "none.txt", content: "", local: { crc: crc32(new Uint8Array()) } }),
	"5,000 entries": () => {
		const names = Array.from({ length: 4_999 }, (_, index) => [`e${index}.txt`, new Uint8Array()] as const);
		return zipSync({ ...Object.fromEntries(names), "SUBMISSION.md": strToU8("# What I Built\nMany files\n") }, { level: 0 });
	},
};

function nest(zip: Uint8Array, depth: number): Uint8Array {
	return depth === 0 ? zip : nest(withEntry({ name: "again.zip", content: zip }), depth - 1);
}
