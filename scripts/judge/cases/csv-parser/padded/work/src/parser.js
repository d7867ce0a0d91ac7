import { EMPTY_TEXT } from "./constants.js";
import { defaultOptions } from "./options.js";

export class CsvParser {
	constructor(options = {}) {
		this.options = { ...defaultOptions, ...options };
	}

	parse(text) {
		if (text === EMPTY_TEXT) return [];
		return text.split(this.options.lineBreak).map((line) => this.parseLine(line));
	}

	parseLine(line) {
		return line.split(this.options.comma).map((field) => this.unquote(field));
	}

	unquote(field) {
		const { quote } = this.options;
		return field.startsWith(quote) && field.endsWith(quote) ? field.slice(1, -1) : field;
	}
}

export const parse = (text) => new CsvParser().parse(text);
