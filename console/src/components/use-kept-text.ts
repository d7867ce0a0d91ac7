import { useState } from "react";

const PREFIX = "console.text.";

/** Keeps text that a reader is typing across reloads of the tab, until it is cleared with an empty text. */
export function useKeptText(name: string): readonly [text: string, setText: (text: string) => void] {
	const item = PREFIX + name;
	const [text, setText] = useState(() => sessionStorage.getItem(item) ?? "");
	const keep = (next: string) => {
		setText(next);
		if (next === "") sessionStorage.removeItem(item);
		else sessionStorage.setItem(item, next);
	};
	return [text, keep];
}
