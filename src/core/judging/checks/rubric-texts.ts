// Finds out without a model whether a rubric is in English, and whether it names documents that must count as evidence.
import type { EvidenceKind } from "../../../domain/evaluation-rounds.ts";
import { wordsOf } from "../words.ts";

interface CriterionTexts {
	readonly name: string;
	readonly description: string | null;
	readonly checks: readonly string[];
}

const DOCUMENTS = /(?<![\p{L}\p{N}])(?:readmes?(?![\p{L}\p{N}])|submission\.md)/iu;

/** Returns `any` if the criterion or the output specification names a README or SUBMISSION.md, which must then count as evidence. */
export function evidenceFor({ name, description, checks }: CriterionTexts, outputSpec: string | null): EvidenceKind {
	return [name, description ?? "", ...checks, outputSpec ?? ""].some((text) => DOCUMENTS.test(text)) ? "any" : "work";
}

const ENGLISH = new Set("the a an and of to in is are for with that it be by not every each all from at has have must".split(" "));
/** Frequent words of other languages that are rare in English. */
const OTHERS = new Set(
	`der das und ist sind nicht mit für ein eine wird werden muss auf le la les est une dans avec pour et el los las una con para que il lo
	gli di che sono della um uma não os het een van niet voor och att är som`.split(/\s+/),
);

/** Returns false if most letters are not Latin, or if frequent words of other languages outnumber those of English. */
export function isEnglish(text: string): boolean {
	const letters = text.match(/\p{L}/gu)?.length ?? 0;
	const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0;
	if (latin * 2 < letters) return false;
	const words = wordsOf(text);
	const count = (vocabulary: ReadonlySet<string>) => words.filter((word) => vocabulary.has(word)).length;
	return count(OTHERS) <= count(ENGLISH);
}
