/** Lets the browser save text or the bytes of a response as a file. */
export function saveFile(name: string, content: string | Blob): void {
	// Saved bytes never open in a tab of this origin, regardless of their type.
	const url = URL.createObjectURL(new Blob([content], { type: typeof content === "string" ? "text/plain" : "application/octet-stream" }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	URL.revokeObjectURL(url);
}
