// Writes the blocking form of asynchronous Python, so that every function of the package is written only once.

/** An awaited expression extends to the end of its line. */
const AWAIT = /\bawait ([^\n]*)/g;
/**
 * Calls of methods that need no event loop: the package's public methods, which this script has made blocking, and the connections of
 * httpx.
 */
const BLOCKING = /^self\.(?:[a-z]|_http\b)/;

/**
 * Writes the blocking form of a module or class that awaits.
 *
 * @throws Error for an awaited expression that continues on the next line.
 */
export function toBlocking(source: string): string {
	return source
		.replace(AWAIT, (_, awaited: string) => {
			if (count(awaited, "(") !== count(awaited, ")")) throw new Error(`Write an awaited expression on one line: ${awaited}`);
			return BLOCKING.test(awaited) ? awaited : `run(${awaited})`;
		})
		.replace(/\breturn (self\._core\.follow\([^\n]*)/g, "return iterate($1)")
		.replace(/\basync (def|for|with)\b/g, "$1")
		.replace(/\b__a(enter|exit|iter)__/g, "__$1__")
		.replace(/\baclose\(/g, "close(")
		.replace(/\bAsyncIo\b/g, "SyncIo")
		.replace(/\bAsync(?=[A-Z])/g, "")
		.replace(/\bAn asynchronous\b/g, "A blocking")
		.replace(/\basynchronous\b/g, "blocking");
}

/** Writes the blocking form of a module of the package. It belongs in the folder `generated`. */
export function toBlockingModule(source: string, { note, doc }: { readonly note: string; readonly doc: string }): string {
	const [, body = ""] = /^"""[^"]*"""\n\n([\s\S]*)$/.exec(source) ?? [];
	const inner = body.replace(/^from \.generated\.?/gm, "from .").replace(/^from \.(?=_)/gm, "from ..");
	const names = ["iterate", "run"].filter((name) => new RegExp(`\\b${name}\\(`).test(toBlocking(inner)));
	const imported = names.length === 0 ? inner : inner.replace(/^from \.\._types/m, `from .._run import ${names.join(", ")}\nfrom .._types`);
	return `${note}"""${doc}"""\n\n${toBlocking(imported)}`;
}

function count(text: string, sign: string): number {
	return text.split(sign).length - 1;
}
