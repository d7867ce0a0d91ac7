// Divides the room of a judgement among the files of an artifact. Reading, showing and predicting use the same division.
import { comparePaths, isGenerated } from "./paths.ts";

export interface FileSize {
	readonly path: string;
	/** The file needs this room to be shown as a whole. */
	readonly size: number;
}

/** A file that gets less than this, or than it needs, shows too little. So where files are many, some get nothing. */
const USEFUL_ROOM = 2_000;

/**
 * Returns the room of each file, in the order of the files. Each gets an equal part, and what a short file leaves goes to the others. Where
 * not all can have a useful part, folders take turns. What is generated or copied from elsewhere gets what the rest leaves.
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

/** Chooses as many files as can have a useful part of the room, one of each folder in turn, the first names of each folder first. */
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
	// A single small room still shows the beginning of a file.
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

/** Shares a room equally, the shortest file first, so that what it leaves goes to the longer ones. */
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
