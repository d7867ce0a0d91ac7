/** An element with text in it. What comes from the server becomes text, never markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
	name: Name,
	content: string | readonly Node[],
	className = "",
): HTMLElementTagNameMap[Name] {
	const made = document.createElement(name);
	if (typeof content === "string") made.textContent = content;
	else made.append(...content);
	if (className !== "") made.className = className;
	return made;
}
