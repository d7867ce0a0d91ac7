// Adds copy buttons to code blocks.
const SHOWN_MS = 2_000;

export function addCopying(): void {
	document.addEventListener("click", (event) => {
		const button = event.target instanceof Element ? event.target.closest<HTMLButtonElement>("button.copy") : null;
		const code = button?.closest(".code")?.querySelector("pre code");
		if (button && code) void copy(code).then((isCopied) => showResult(button, isCopied));
	});
}

/**
 * Copies the code, or selects its text if the page's origin is not secure, because browsers give only secure origins access to the
 * clipboard.
 */
async function copy(code: Element): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(code.textContent);
		return true;
	} catch {
		getSelection()?.selectAllChildren(code);
		return false;
	}
}

function showResult(button: HTMLButtonElement, isCopied: boolean): void {
	button.textContent = isCopied ? "Copied" : "Selected";
	button.classList.add("copied");
	setTimeout(() => {
		button.textContent = "Copy";
		button.classList.remove("copied");
	}, SHOWN_MS);
}
