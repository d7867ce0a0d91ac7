// Makes names for files and folders from names that a platform sends. Neither a poster nor a platform may decide where a file is written.

const MAX_CHARACTERS = 120;
/** File systems allow 255 bytes. The rest is for the number of a copy. */
const MAX_BYTES = 240;
/** Windows opens a device for these names, with any ending, even if spaces follow. */
const DEVICE = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i;

/**
 * Returns a safe name for a poster's file.
 * It must not lead out of the folder, hide the file, or change what a program reads from the folder.
 *
 * @param taken The names that are taken. Some systems ignore case, or the form of an accented letter.
 */
export function localFileName(wanted: string, taken: readonly string[]): string {
	const safe = safeName(wanted) || "file";
	const keys = new Set(taken.map(keyOf));
	for (let copy = 1; ; copy += 1) {
		const name = copy === 1 ? safe : `${copy}-${safe}`;
		if (!keys.has(keyOf(name))) return name;
	}
}

/** Returns a name for the folder of a task: its title, or else its id. */
export function localFolderName({ title, id }: { readonly title: string; readonly id: string }): string {
	const name = title
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.slice(0, 40)
		.replace(/^-+|-+$/g, "");
	return DEVICE.test(name) ? `task-${name}` : name || safeName(id) || "task";
}

/** Returns an empty string if no part of the name is safe. Windows drops dots and spaces at the end of a name. */
function safeName(wanted: string): string {
	const plain = wanted.normalize("NFC").replace(/[^\p{L}\p{N}._ ()-]/gu, "_");
	const begun = plain.replace(/^[. -]+/, "");
	const ending = /\.[\p{L}\p{N}]{1,10}$/u.exec(begun)?.[0] ?? "";
	const stem = begun.slice(0, begun.length - ending.length);
	const name = withoutEnd(isShort(begun) ? begun : cutStem(stem, ending) + ending);
	return DEVICE.test(name) ? `_${name}` : name;
}

function isShort(name: string): boolean {
	return name.length <= MAX_BYTES && [...name].length <= MAX_CHARACTERS && Buffer.byteLength(name) <= MAX_BYTES;
}

/** Returns as many characters of the stem as fit into a name with this ending. */
function cutStem(stem: string, ending: string): string {
	const characters = [...stem.slice(0, MAX_BYTES)].slice(0, MAX_CHARACTERS - [...ending].length);
	while (!isShort(characters.join("") + ending)) characters.pop();
	return characters.join("");
}

/** Removes dots and spaces at the end. If there are many, a regular expression would take quadratic time. */
function withoutEnd(name: string): string {
	let end = name.length;
	while (end > 0 && ". ".includes(name.charAt(end - 1))) end -= 1;
	return name.slice(0, end);
}

function keyOf(name: string): string {
	return name.normalize("NFC").toLowerCase();
}
