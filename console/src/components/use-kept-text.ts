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

/** Removes the kept text once it has been saved, unless another one has been kept since. May be called after the component has unmounted. */
export function forgetKeptText(name: string, text: string): void {
	if (sessionStorage.getItem(PREFIX + name) === text) sessionStorage.removeItem(PREFIX + name);
}
