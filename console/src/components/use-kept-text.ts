import { useState } from "react";

const PREFIX = "console.text.";

/** Keeps what a reader is typing across reloads of the tab. Setting an empty string removes it. */
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
