// Strings can look the same to a person or a model although their code points differ. These functions map such strings to the same string.

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cc}]+/gu;

/** Returns the same string for paths that look alike: without invisible characters and white space, in Unicode form NFKC. */
export function foldLook(path: string): string {
	return path.normalize("NFKC").replace(INVISIBLE, "").replace(/\s+/g, "");
}

/** Returns the same string for names that look alike. Unlike {@link foldLook}, keeps one space between words. */
export function foldName(name: string): string {
	return name.normalize("NFKC").replace(/\s+/g, " ").replace(INVISIBLE, "").replace(/ +/g, " ").trim();
}
