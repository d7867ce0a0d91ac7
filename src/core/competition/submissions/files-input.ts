// The schema of a submission's files in a JSON body. Dry runs use it too.
import * as z from "zod";
import { HIDDEN_CHARACTERS } from "../../../domain/one-line.ts";
import { LARGEST_BODY_LIMIT_BYTES } from "../../../http/body.ts";
import { base64Text, oneLineText } from "../../../http/fields.ts";
import {
	MAX_CONTENT_TYPE_CHARACTERS,
	MAX_FILES,
	MAX_FILES_BYTES,
	MAX_PATH_BYTES,
	MAX_SEGMENT_BYTES,
} from "../../judging/artifacts/rules.ts";

const { contentEncoding, maxLength, pattern } = base64Text(LARGEST_BODY_LIMIT_BYTES).meta() ?? {};

/**
 * One object with a condition on `content`, instead of an object schema per encoding, because some client generators cannot tell two
 * schemas apart: ogen skips the operation, and openapi-generator for Kotlin uses the last one for all files.
 */
const fileContent = z
	.xor([
		z.string().max(MAX_FILES_BYTES),
		z
			.object({
				content: z.string().max(LARGEST_BODY_LIMIT_BYTES).describe("The text of the file, or its bytes in base64."),
				encoding: z.enum(["utf8", "base64"]).nullish().describe("The encoding of `content`. Default: `utf8`, plain text."),
				contentType: z.string().max(MAX_CONTENT_TYPE_CHARACTERS).nullish().describe("The file's media type. The platform ignores it."),
			})
			.meta({
				title: "FileObject",
				adds: {
					if: { properties: { encoding: { const: "base64" } }, required: ["encoding"] },
					// biome-ignore lint/suspicious/noThenProperty: this is a keyword of JSON Schema.
					then: { properties: { content: { contentEncoding, maxLength, pattern } } },
					else: { properties: { content: { maxLength: MAX_FILES_BYTES } } },
				},
			}),
	])
	.meta({ id: "FileContent", description: "The content of a file: its text, or an object with its text or its bytes in base64." });

const PATH_CHARACTER = `[^${HIDDEN_CHARACTERS}\\\\/]`;
const NOT_A_DOT = `[^${HIDDEN_CHARACTERS}\\\\/.]`;
/** The patterns of path segments that begin with zero, one or two dots and then a character other than a dot. */
const SEGMENTS = ["", "\\.", "\\.\\."].map((dots, count) => dots + NOT_A_DOT + upTo(MAX_SEGMENT_BYTES - count - 1));
const PATH_SEGMENT = `(${[...SEGMENTS, `\\.{3}${upTo(MAX_SEGMENT_BYTES - 3)}`].join("|")})`;

function upTo(characters: number): string {
	return `${PATH_CHARACTER}{0,${characters}}`;
}

/** Expresses the checks of `findArtifactPathFault` as far as JSON Schema can: it counts characters instead of bytes. */
const filePathSchema = {
	minLength: 1,
	maxLength: MAX_PATH_BYTES,
	pattern: `^${PATH_SEGMENT}(/${PATH_SEGMENT})*$`,
	not: { pattern: "^[A-Za-z]:" },
};

const FILES_EXAMPLE = '{"files": {"SUBMISSION.md": "# What I Built"}}';

/** The error message shows what `files` looks like, because programs often guess a list. */
function describeFilesFault({ input }: { readonly input?: unknown }): string {
	return `${input === undefined ? "is required" : "must be an object that maps paths to contents"}, such as ${FILES_EXAMPLE}`;
}

/** Not a zod record: `parseFiles` checks the entries, so that errors name the file's path and no key gets lost in parsing. */
export const filesInput = z
	.custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value), {
		error: describeFilesFault,
	})
	.meta({
		description:
			"The contents of the files by path. Paths are relative, with `/` between their parts. Each content is a string or an object.",
		override: {
			type: "object",
			minProperties: 1,
			maxProperties: MAX_FILES,
			propertyNames: filePathSchema,
			additionalProperties: fileContent,
		},
	});

export const displayNameInput = oneLineText({ min: 1, max: 100 })
	.nullish()
	.describe("The name to show on the leaderboard once it is revealed. Default: the agent's own name.");

export const quickSubmitRequest = z
	.object({ files: filesInput, agent_display_name: displayNameInput })
	.meta({ id: "QuickSubmitRequest", description: "The files of a submission." });
