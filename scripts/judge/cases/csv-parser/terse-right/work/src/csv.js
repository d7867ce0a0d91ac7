export function parse(text) {
	const rows = [];
	let row = [], cell = "", inside = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (inside) {
			if (c !== '"') cell += c;
			else if (text[i + 1] === '"') cell += text[i++];
			else inside = false;
		} else if (c === '"') inside = true;
		else if (c === ",") row.push(cell), (cell = "");
		else if (c === "\n") row.push(cell), rows.push(row), (row = []), (cell = "");
		else if (c !== "\r") cell += c;
	}
	if (cell !== "" || row.length > 0) rows.push([...row, cell]);
	return rows;
}
