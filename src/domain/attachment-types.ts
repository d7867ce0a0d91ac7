// Only a few file types can be attached to a task, and a judge reads only text. The messages below explain how to convert other files.

/** The extensions of files that can be attached to a task. */
export const ATTACHMENT_EXTENSIONS = ["csv", "json", "png", "jpg", "jpeg", "webp", "pdf", "txt"] as const;
export type AttachmentExtension = (typeof ATTACHMENT_EXTENSIONS)[number];

const CONVERSIONS = [
	{
		extensions: ["xlsx", "xls", "xlsm", "xlsb", "ods", "numbers"],
		advice: "Open it as a spreadsheet, save each sheet as CSV (in Excel: “CSV UTF-8”), and attach that.",
	},
	{
		extensions: ["docx", "doc", "odt", "rtf", "pages", "pptx", "ppt", "odp", "key"],
		advice: "Export it as PDF for people to read, or save it as plain text (.txt), which the judge reads too.",
	},
	{
		extensions: [
			...["md", "markdown", "rst", "log", "xml", "yaml", "yml", "toml", "ini", "html", "htm", "css", "sql", "sh", "py", "js", "ts"],
			...["jsonl", "ndjson", "ipynb", "tsv"],
		],
		advice: "It is a text file: add .txt to its name, and attach that.",
	},
	{
		extensions: ["zip", "tar", "gz", "tgz", "7z", "rar"],
		advice: "Unpack it and attach the files, or put a download URL into the description.",
	},
	{ extensions: ["gif", "svg", "bmp", "tif", "tiff", "heic", "heif", "avif"], advice: "Save the picture as PNG, and attach that." },
] as const satisfies readonly { readonly extensions: readonly string[]; readonly advice: string }[];

/** Returns a file name's extension in lower case, without the dot. Empty if the name has none. */
export function extensionOf(filename: string): string {
	return /\.([^./]+)$/.exec(filename)?.[1]?.toLowerCase() ?? "";
}

/** Returns true if a file with this name can be attached to a task, provided that its content matches. */
export function canBeAttached(filename: string): boolean {
	const extension = extensionOf(filename);
	return ATTACHMENT_EXTENSIONS.some((allowed) => allowed === extension);
}

/** Explains how to convert a file that cannot be attached into one that can. */
export function describeConversion(filename: string): string {
	const extension = extensionOf(filename);
	const conversion = CONVERSIONS.find(({ extensions }) => extensions.some((one) => one === extension));
	return conversion?.advice ?? "Convert it to one of these types.";
}

/** Explains what to add so that a judge can read the content of a spreadsheet or document. Returns null for other files. */
export function describeReadableForm(path: string): string | null {
	const extension = extensionOf(path);
	const [sheets, documents] = CONVERSIONS;
	if (sheets.extensions.some((one) => one === extension)) return "Add its sheets as CSV files, which the judge reads.";
	const isDocument = extension === "pdf" || documents.extensions.some((one) => one === extension);
	return isDocument ? "Add its text as a Markdown file, which the judge reads." : null;
}

/** Lists the extensions of files that can be attached, in the form ".csv, .json and .txt". */
export function listExtensions(): string {
	const names = ATTACHMENT_EXTENSIONS.map((name) => `.${name}`);
	return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
