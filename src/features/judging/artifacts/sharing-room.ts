// Divides the room of a judgement among the files of an artifact, so that no kind of file and no early name displaces the rest.
import { FILE_KINDS, type FileKind, type FileStat, kindOf } from "./kinds.ts";

/** Each kind of file has this share of the room for certain. Generated files get what is left. */
const SHARES: Readonly<Record<FileKind, number>> = { document: 0.25, configuration: 0.1, source: 0.35, test: 0.3, generated: 0 };
/** These kinds get what others leave, in this order. */
const HEIRS: readonly FileKind[] = ["source", "test", "configuration", "document", "generated"];

/** Larger files come after the others of their kind, so that two of them do not fill its share. */
const MAX_EARLY_BYTES = 64 * 1024;
const FIRST_NAMES: readonly string[] = ["SUBMISSION.md", "README.md"];
const MANIFESTS: readonly string[] = [
	"package.json",
	"pyproject.toml",
	"requirements.txt",
	"Cargo.toml",
	"go.mod",
	"Makefile",
	"Dockerfile",
];

/** A file needs room in a judgement. */
export interface FileDemand extends FileStat {
	readonly kind: FileKind;
	/** The file needs about this room to be shown whole. */
	readonly size: number;
}

/**
 * Yields each file with the room that it may take. The caller returns how much it took; a file that was cut takes all that it was offered.
 * Inside a kind, files come from all folders in turn.
 */
export function* shareRoom<File extends FileDemand>(
	files: readonly File[],
	room: number,
): Generator<{ readonly file: File; readonly room: number }, void, number> {
	const byKind = Map.groupBy(files, ({ kind }) => kind);
	const needs = mapKinds((kind) => (byKind.get(kind) ?? []).reduce((sum, { size }) => sum + size, 0));
	// Next to other work, documents never get more than their share, so padding displaces nothing. Without it they are the work.
	const isWriting = needs.source + needs.test + needs.configuration === 0;
	const mostDocuments = isWriting ? room : room * SHARES.document;
	const granted = grantRoom({ ...needs, document: Math.min(needs.document, mostDocuments) }, room);
	let spare = room - FILE_KINDS.reduce((sum, kind) => sum + granted[kind], 0);
	for (const kind of FILE_KINDS) {
		let left = kind === "document" ? Math.min(granted[kind] + spare, mostDocuments) : granted[kind] + spare;
		spare += granted[kind] - left;
		for (const file of inTurn(byKind.get(kind) ?? [])) left -= yield { file, room: left };
		spare += left;
	}
}

/** Gives each kind of file the room that it needs, as far as its share reaches, and the rest of the room to those that need more. */
function grantRoom(needs: Readonly<Record<FileKind, number>>, room: number): Record<FileKind, number> {
	const granted = mapKinds((kind) => Math.min(needs[kind], room * SHARES[kind]));
	let left = room - FILE_KINDS.reduce((sum, kind) => sum + granted[kind], 0);
	for (const kind of HEIRS) {
		const more = Math.min(left, needs[kind] - granted[kind]);
		granted[kind] += more;
		left -= more;
	}
	return granted;
}

function mapKinds(amountOf: (kind: FileKind) => number): Record<FileKind, number> {
	return {
		document: amountOf("document"),
		configuration: amountOf("configuration"),
		source: amountOf("source"),
		test: amountOf("test"),
		generated: amountOf("generated"),
	};
}

/** Puts those first that explain the rest, then one of each folder, the next of each folder, and so on, and large files last. */
function inTurn<File extends FileDemand>(files: readonly File[]): File[] {
	const positions = new Map<string, number>();
	return files
		.toSorted((a, b) => comparePaths(a.path, b.path))
		.map((file) => {
			const folder = file.path.slice(0, file.path.lastIndexOf("/") + 1);
			const position = positions.get(folder) ?? 0;
			positions.set(folder, position + 1);
			return { file, first: firstRank(file.path), isLarge: file.bytes > MAX_EARLY_BYTES, position };
		})
		.toSorted((a, b) => a.first - b.first || Number(a.isLarge) - Number(b.isLarge) || a.position - b.position)
		.map(({ file }) => file);
}

function firstRank(path: string): number {
	const index = FIRST_NAMES.indexOf(path);
	if (index !== -1) return index;
	return FIRST_NAMES.length + (MANIFESTS.includes(path) ? 0 : 1);
}

/** Sorts files in the order in which they are shown: by kind, what explains the rest first, then by path. */
export function sortForReading<File extends FileStat>(files: readonly File[]): File[] {
	return files
		.map((file) => ({ file, path: file.path, kind: FILE_KINDS.indexOf(kindOf(file)), first: firstRank(file.path) }))
		.toSorted((a, b) => a.kind - b.kind || a.first - b.first || comparePaths(a.path, b.path))
		.map(({ file }) => file);
}

function comparePaths(a: string, b: string): number {
	return a < b ? -1 : Number(a > b);
}
