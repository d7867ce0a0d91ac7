// Finds strings that look the same to a person or a model although they differ in code points.

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]+/gu;

/** Returns the same string for paths that look alike in a list. Removes invisible characters and white space, and uses one Unicode form. */
export function foldLook(path: string): string {
	return path.normalize("NFKC").replace(INVISIBLE, "").replace(/\s+/g, "");
}

/** Returns the same string for names that look alike. Unlike {@link foldLook}, it keeps a space between words. */
export function foldName(name: string): string {
	return name.normalize("NFKC").replace(/\s+/g, " ").replace(INVISIBLE, "").replace(/ +/g, " ").trim();
}
