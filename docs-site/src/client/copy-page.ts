/** The "Copy page" button puts the page's Markdown on the clipboard, for example for a prompt. */
export function addPageCopying(): void {
	const button = document.querySelector<HTMLButtonElement>(".copy-page");
	const status = document.querySelector<HTMLElement>(".copy-status");
	const source = button?.dataset["source"];
	if (!button || !status || source === undefined) return;
	// Browsers give the clipboard only to pages of https and localhost. The Markdown link works everywhere.
	if (navigator.clipboard === undefined) button.hidden = true;
	button.addEventListener("click", async () => {
		status.textContent = (await copy(source)) ? "Copied" : "Copying failed. Open the Markdown instead.";
	});
}

async function copy(source: string): Promise<boolean> {
	try {
		const response = await fetch(source);
		if (!response.ok) return false;
		await navigator.clipboard.writeText(await response.text());
		return true;
	} catch {
		return false;
	}
}
