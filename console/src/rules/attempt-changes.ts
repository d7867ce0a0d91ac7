// Compares an attempt with the previous one.

interface Attempt {
	readonly id: string;
	readonly scores: { readonly final_score: number } | null;
}

/** Finds the last scored attempt before a given one. Ids begin with the time, so they sort by it. */
export function findEarlierAttempt<One extends Attempt>(attempts: readonly One[], id: string): One | null {
	const earlier = attempts.filter((attempt) => attempt.scores !== null && attempt.id < id);
	return earlier.toSorted((a, b) => (a.id < b.id ? 1 : -1))[0] ?? null;
}

interface ListedFile {
	readonly path: string;
	readonly size_bytes: number;
	readonly crc32: string;
}

interface FileChanges {
	readonly added: readonly string[];
	readonly removed: readonly string[];
	readonly changed: readonly string[];
}

/** Compares two lists of files by path, size and checksum. */
export function compareFiles(before: readonly ListedFile[], after: readonly ListedFile[]): FileChanges {
	const old = new Map(before.map((file) => [file.path, file]));
	const paths = new Set(after.map(({ path }) => path));
	const kept = after.flatMap((file) => {
		const earlier = old.get(file.path);
		return earlier === undefined
			? []
			: [{ path: file.path, isSame: earlier.size_bytes === file.size_bytes && earlier.crc32 === file.crc32 }];
	});
	return {
		added: after.flatMap(({ path }) => (old.has(path) ? [] : [path])),
		removed: before.flatMap(({ path }) => (paths.has(path) ? [] : [path])),
		changed: kept.flatMap(({ path, isSame }) => (isSame ? [] : [path])),
	};
}
