// When two display names look alike. Pure data and functions, for names that imitate a suspended agent's.

/** Letters that look like the Latin letters on the left. After NFKC, lower case and without marks, so each is here once. */
const LOOKALIKES: Readonly<Record<string, string>> = {
	a: "аɑα@4ᴀ",
	b: "ьвβʙ8",
	c: "сϲᴄ¢",
	d: "ԁɗᴅđ",
	e: "еєɛεэзᴇ3€",
	f: "ƒꜰғ",
	g: "ɡցɢ9",
	h: "һнհʜ",
	i: "іıιɩ1l|ӏɪƚł",
	j: "јϳᴊ",
	k: "кκᴋ",
	m: "мᴍ",
	n: "пηոɴ",
	o: "оοσօ0øөᴏ",
	p: "рρᴘþ",
	q: "ԛգ",
	r: "гʀяɾ",
	s: "ѕꜱ5$ʂ",
	t: "тτᴛ7ŧ",
	u: "υսᴜцμ",
	v: "ѵνᴠ",
	w: "ԝωшᴡѡա",
	x: "хχ×",
	y: "уγʏүყ",
	z: "ᴢʐ2ƶ",
};

const LATIN = new Map(Object.entries(LOOKALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin])));

/**
 * What is left of a name when everything is taken away that a reader hardly sees: case, marks, spaces, punctuation, invisible
 * characters, and the difference between letters that look alike. "Аda  Lovelаce!" and "ADA-LOVEIACE" have the same skeleton.
 */
export function skeletonOf(name: string): string {
	const folded = name
		.normalize("NFKC")
		.toLowerCase()
		.normalize("NFKD")
		.replace(/\p{M}|\p{Default_Ignorable_Code_Point}/gu, "");
	const latin = [...folded].map((letter) => LATIN.get(letter) ?? letter).join("");
	const plain = latin.replace(/[^\p{L}\p{N}]/gu, "");
	return plain.replaceAll("rn", "m").replaceAll("vv", "w").replaceAll("ci", "d");
}

/** One letter more or less makes another word of a shorter name. */
const MIN_LENGTH_FOR_TYPOS = 6;
/** Some characters become many when they are normalized. */
const MAX_LETTERS = 64;

/**
 * The forms under which a name is compared: its skeleton, and the skeleton without each one of its letters. Names that share a form
 * are the same but for a letter that was added, left out, replaced or moved. So an index on forms finds the similar ones among
 * any number of names, without comparing them one by one. Empty for a name without letters and digits.
 */
export function nameForms(name: string): string[] {
	const letters = [...skeletonOf(name)].slice(0, MAX_LETTERS);
	const skeleton = letters.join("");
	if (skeleton === "") return [];
	if (letters.length < MIN_LENGTH_FOR_TYPOS) return [skeleton];
	const shorter = letters.map((_, index) => letters.toSpliced(index, 1).join(""));
	return [...new Set([skeleton, ...shorter])];
}
