/** The body of an upload. The API document describes a file as a string, so the generated types have no place for its bytes. */
export function formBody(file: File, fields: Readonly<Record<string, string>> = {}) {
	return () => {
		const form = new FormData();
		for (const [name, value] of Object.entries(fields)) form.append(name, value);
		form.append("file", file);
		return form;
	};
}
