// Parsing hostile sources in bounded time: apart from the facts, because it reaches into the parser.
import { tsPlugin } from "@sveltejs/acorn-typescript";
import { Parser } from "acorn";

/** What a file may cost: an honest one is read little more than once, backtracking over nested casts doubles with each level. */
const TOKENS_PER_CHARACTER = 4;
const FREE_TOKENS = 2_000;

/** The methods of the parser that plugins override; its types declare none of them. */
interface Tokenizer {
	readonly input: string;
	nextToken(): void;
}

function asTokenizer(base: typeof Parser): new (...parameters: never[]) => Tokenizer {
	return base as unknown as new (
		...parameters: never[]
	) => Tokenizer;
}

/** The way back: what extends a parser is one, with all that its types declare. */
function asParser(extended: new (...parameters: never[]) => Tokenizer): typeof Parser {
	return extended as unknown as typeof Parser;
}

/** Throws what is no SyntaxError, because the parser takes one for a sign to try something else. */
function limitTokens(base: typeof Parser): typeof Parser {
	class LimitedParser extends asTokenizer(base) {
		tokens = 0;

		override nextToken(): void {
			this.tokens += 1;
			if (this.tokens > FREE_TOKENS + this.input.length * TOKENS_PER_CHARACTER) throw new Error("is too entangled to be checked");
			super.nextToken();
		}
	}
	return asParser(LimitedParser);
}

export const typescriptParser = Parser.extend(tsPlugin({ jsx: false }), limitTokens);
export const typescriptJsxParser = Parser.extend(tsPlugin({ jsx: {} }), limitTokens);
export const scriptParser = Parser.extend(limitTokens);
