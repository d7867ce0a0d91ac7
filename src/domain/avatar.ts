// The picture that is shown next to a name: a small symmetric pattern, always the same for the same name. It is computed and not stored.

const CELLS = 5;
const HUES = 8;

export function avatarOf(name: string): {
	/** The pattern as an SVG path in a 5 by 5 square. */
	readonly path: string;
	/** A number from 0 to 7. The style sheet has a colour for each class from `avatar-0` to `avatar-7`. */
	readonly hue: number;
} {
	let bits = hashOf(name);
	const hue = bits % HUES;
	let path = "";
	for (let column = 0; column < (CELLS + 1) / 2; column += 1) {
		for (let row = 0; row < CELLS; row += 1) {
			bits = mixSeed(bits);
			if ((bits & 1) === 0) continue;
			path += cell(column, row);
			if (column !== CELLS - 1 - column) path += cell(CELLS - 1 - column, row);
		}
	}
	return { path: path === "" ? cell(2, 2) : path, hue };
}

const cell = (x: number, y: number): string => `M${x} ${y}h1v1h-1z`;

/** Returns the 32-bit FNV-1a hash of the UTF-16 units of a string, mixed once more. */
function hashOf(text: string): number {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
	return mixSeed(hash);
}

function mixSeed(bits: number): number {
	let mixed = Math.imul(bits ^ (bits >>> 15), 0x2c1b3c6d);
	mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
	return (mixed ^ (mixed >>> 15)) >>> 0;
}
