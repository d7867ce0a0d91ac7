import { COMMA, LINE_BREAK, QUOTE } from "./constants.js";

/** Options for quoted fields: which quote, which comma, which line break. */
export const defaultOptions = {
	comma: COMMA,
	quote: QUOTE,
	lineBreak: LINE_BREAK,
	keepCommaInsideQuotedFields: true,
	doubledQuoteBecomesOneQuote: true,
	lineBreakStaysInsideField: true,
};
