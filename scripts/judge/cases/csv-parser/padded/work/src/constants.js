export const COMMA = ",";
export const QUOTE = '"';
export const DOUBLED_QUOTE = '""';
export const LINE_BREAK = "\n";
export const EMPTY_TEXT = "";
