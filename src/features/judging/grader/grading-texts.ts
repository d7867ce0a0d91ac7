// Makes texts of images and graders safe to show: bounded, without control characters, without the image's name.
import { registryOfReference, repositoryOfReference } from "../../../domain/image-reference.ts";
import type { GradingResult } from "../../../ports/grading.ts";
import type { JudgedTask } from "../work.ts";

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_OUTPUT_CHARACTERS = 4_096;
export const MAX_NOTES_CHARACTERS = 20_000;

/** Returns the grader's message for the agent and the owner, without URLs and without the image's name, which only the owner may see. */
export function messageForEveryone({ message, outcome }: GradingResult, { evalImage }: Pick<JudgedTask, "evalImage">): string {
	const withoutUrls = message.replace(/\b[a-z]{1,20}:\/\/\S+/gi, "[address]");
	const safe = cleanText(namesOf(evalImage).reduce((text, name) => text.replaceAll(name, "the image"), withoutUrls)).trim();
	return safe === "" && outcome !== "graded" ? "The grader gave no reason." : safe;
}

/** Lists the names of an image. The longest ones come first. */
function namesOf(image: string | null): string[] {
	if (image === null) return [];
	const registry = registryOfReference(image);
	return [image, repositoryOfReference(image), ...(registry === null ? [] : [registry])];
}

/** Returns the end of an output. */
export function tailOf(output: string): string {
	return cleanText(output.slice(-MAX_OUTPUT_CHARACTERS), MAX_OUTPUT_CHARACTERS);
}

/** Cleans text so that it can be stored and shown: without control characters except line breaks and tabs. */
export function cleanText(raw: string, maxCharacters: number = MAX_MESSAGE_CHARACTERS): string {
	const text = raw.slice(0, maxCharacters).toWellFormed();
	return text.replace(/[^\P{Cc}\n\t]/gu, "");
}
