// Makes small PDFs for tests of the viewer.

/** Describes the catalog of a PDF that runs this script when it opens. */
export function runningOnOpening(script: string): string {
	return `/OpenAction << /S /JavaScript /JS (${script}) >>`;
}

/** Makes a PDF with a line of text on each page. The lines must not contain parentheses. `catalog` adds entries to its catalog. */
export function makePdf(lines: readonly string[], catalog = ""): string {
	const pageIds = lines.map((_, index) => 4 + 2 * index);
	const objects = [
		`<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
		`<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(" ")}] /Count ${lines.length} >>`,
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		...lines.flatMap((line, index) => {
			const content = `BT /F1 24 Tf 20 150 Td (${line}) Tj ET`;
			return [
				`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
				`<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
			];
		}),
	];
	const parts = ["%PDF-1.7\n"];
	const offsets = objects.map((object, index) => {
		const offset = parts.join("").length;
		parts.push(`${index + 1} 0 obj\n${object}\nendobj\n`);
		return offset;
	});
	const start = parts.join("").length;
	const table = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
	const size = objects.length + 1;
	return `${parts.join("")}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}
