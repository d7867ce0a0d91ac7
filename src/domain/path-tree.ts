// Compares paths segment by segment, so that the time is linear in their total length, even if they are deep.

interface PathNode {
	readonly children: Map<string, PathNode>;
	/** What the path that ends here names. Null if no path ends here. */
	kind: "file" | "folder" | null;
}

/** A tree of the paths of files and folders. Callers fold the paths first, so that paths that look alike are the same. */
export class PathTree {
	readonly #root: PathNode = newNode();

	/** Adds a path. Returns false if the tree already has the path, unless both are folders. */
	add(path: string, { isFolder }: { readonly isFolder: boolean }): boolean {
		let node = this.#root;
		for (const segment of path.split("/")) {
			const next = node.children.get(segment) ?? newNode();
			node.children.set(segment, next);
			node = next;
		}
		const isFree = isFolder ? node.kind !== "file" : node.kind === null;
		if (node.kind !== "file") node.kind = isFolder ? "folder" : "file";
		return isFree;
	}

	/** Returns the path of the file that would have to be a folder above this path. Returns null if there is none. */
	findFileAbove(path: string): string | null {
		let node: PathNode | undefined = this.#root;
		for (let end = path.indexOf("/"), start = 0; end !== -1; start = end + 1, end = path.indexOf("/", start)) {
			node = node?.children.get(path.slice(start, end));
			if (node?.kind === "file") return path.slice(0, end);
		}
		return null;
	}
}

function newNode(): PathNode {
	return { children: new Map(), kind: null };
}
