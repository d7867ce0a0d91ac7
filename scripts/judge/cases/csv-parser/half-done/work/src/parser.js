// Parses one line at a time.
export function parse(text) {
	if (text === "") return [];
	return text.split(/\r?\n/).map(parseLine);
}

function parseLine(line) {
	const fields = [];
	const pattern = /"((?:[^"]|"")*)"|([^,]*)/y;
	for (;;) {
		const match = pattern.exec(line);
		if (match === null) return fields;
		// TODO: a doubled quote inside a quoted field becomes one quote
		fields.push(match[1] ?? match[2]);
		if (line[pattern.lastIndex] !== ",") return fields;
		pattern.lastIndex++;
	}
}
