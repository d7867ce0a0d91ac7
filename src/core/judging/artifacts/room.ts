// Divides the characters that a judgement can read among the files of an artifact. The code that reads files, writes prompts or makes
// previews uses this division, so all three agree.
import { comparePaths, isGenerated } from "./paths.ts";

export interface FileSize {
	readonly path: string;
	/** The room that the file needs to be shown completely. */
	readonly size: number;
}

/** Fewer characters than this are useless, unless they are the whole file. So with many files, some get no room. */
const USEFUL_ROOM = 2_000;

/**
 * Returns the number of characters for each file, in the order of the files. Each file gets an equal share, and the part that a short file
 * does not need goes to the others. If there are too many files for useful shares, files are chosen from each folder in turn. Generated and
 * copied files get what is left.
 */
export function divideRoom(files: readonly FileSize[], room: number): number[] {
	const rooms = files.map(() => 0);
	const indexes = files.map((_, index) => index);
	const isLast = indexes.map((index) => isGenerated(files[index]?.path ?? ""));
	let left = room;
	for (const group of [indexes.filter((index) => isLast[index] === false), indexes.filter((index) => isLast[index] === true)]) {
		const sizeOf = (index: number) => files[index]?.size ?? 0;
		for (const [index, part] of shareEqually(chooseInTurns(group, { files, room: left }), { sizeOf, room: left })) {
			rooms[index] = part;
			left -= Math.min(part, sizeOf(index));
		}
	}
	return rooms;
}

/** Chooses as many files as can get a useful share: one from each folder in turn, in the order of their names. */
function chooseInTurns(
	group: readonly number[],
	{ files, room }: { readonly files: readonly FileSize[]; readonly room: number },
): number[] {
	const chosen: number[] = [];
	let left = room;
	for (const index of takeTurns(group, files)) {
		left -= Math.min(USEFUL_ROOM, files[index]?.size ?? 0);
		if (left < 0) break;
		chosen.push(index);
	}
	// If there is not even room for one useful share, one file shows its beginning.
	return chosen.length === 0 ? takeTurns(group, files).slice(0, 1) : chosen;
}

function takeTurns(group: readonly number[], files: readonly FileSize[]): number[] {
	const pathOf = (index: number) => files[index]?.path ?? "";
	const folderOf = (index: number) => pathOf(index).slice(0, pathOf(index).lastIndexOf("/") + 1);
	const sorted = group.toSorted((a, b) => comparePaths(pathOf(a), pathOf(b)));
	const positions = new Map<string, number>();
	return sorted
		.map((index) => {
			const position = positions.get(folderOf(index)) ?? 0;
			positions.set(folderOf(index), position + 1);
			return { index, position };
		})
		.toSorted((a, b) => a.position - b.position)
		.map(({ index }) => index);
}

/** Shares characters equally, starting with the shortest file, so that unused room goes to longer files. */
function shareEqually(
	indexes: readonly number[],
	{ sizeOf, room }: { readonly sizeOf: (index: number) => number; readonly room: number },
): [number, number][] {
	let left = room;
	return indexes
		.toSorted((a, b) => sizeOf(a) - sizeOf(b))
		.map((index, position) => {
			const part = Math.min(sizeOf(index), Math.floor(left / (indexes.length - position)));
			left -= part;
			return [index, part];
		});
}
