// Every reader of what others wrote gets texts that repeat a part thousands of times. Its time must not grow faster than the text.
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, it } from "vitest";
import { parseIssue } from "../../console/src/rules/github-issue.ts";
import { placeQuotes, splitLines as splitShownLines } from "../../console/src/rules/quotes.ts";
import { parseTags } from "../../console/src/rules/tags.ts";
import { showHidden } from "../../console/src/rules/text.ts";
import { parseList } from "../../console/src/rules/webhook-events.ts";
import { parseJunit } from "../../grader/scores/junit.ts";
import { parseRewardText } from "../../grader/scores/metrics.ts";
import { contains } from "../../grader/test-suite.ts";
import { escapeMarkup as escapeForComment, logLine } from "../../packages/action/src/report.ts";
import { clean, cleanPainted, toSafeJson } from "../../packages/cli/src/terminal/text.ts";
import { parseNote } from "../../packages/cli/src/work/attempt-notes.ts";
import { localFileName, localFolderName } from "../../packages/cli/src/work/local-names.ts";
import { parseTaskFile } from "../../packages/cli/src/work/task-file.ts";
import { parseEnvelope } from "../../packages/sdk/src/core/errors.ts";
import { readEvents as readStreamOfSdk } from "../../packages/sdk/src/core/event-stream.ts";
import { readSigned } from "../../packages/sdk/src/receipt/signature.ts";
import { decodeUtf8 } from "../../packages/sdk/src/submit/files.ts";
import { readVariables } from "../../src/config/setting.ts";
import { settings } from "../../src/config/settings.ts";
import { cleanFilename } from "../../src/core/competition/attachments/rules.ts";
import { splitText } from "../../src/core/competition/judgements/report.ts";
import { cutText, escapeMarkup } from "../../src/core/competition/public-reading/rules.ts";
import { planSearch } from "../../src/core/competition/search/rules.ts";
import { formatCsvRow } from "../../src/core/competition/submissions/csv.ts";
import { MAX_PATTERN_CHARACTERS } from "../../src/core/competition/tasks/rules.ts";
import { searchPage, searchPageForWords } from "../../src/core/docs/docs-rules.ts";
import { findPathFault, findPrefixFault, isContentType } from "../../src/core/identity/workspace/rules.ts";
import { findFacts } from "../../src/core/judging/artifacts/facts.ts";
import { isClaimFile, isGenerated } from "../../src/core/judging/artifacts/paths.ts";
import { findArtifactPathFault, findMissingSections, foldPath, parseFiles } from "../../src/core/judging/artifacts/rules.ts";
import { checksByRules, cleanChecks } from "../../src/core/judging/checks/checks-by-rules.ts";
import { lintRubric } from "../../src/core/judging/checks/lint-rubric.ts";
import { evidenceFor, isEnglish } from "../../src/core/judging/checks/rubric-texts.ts";
import { cleanLine, cleanText, splitLines, splitPieces } from "../../src/core/judging/engine/marking.ts";
import { markText, prepareFile, showMaterial, withoutMarks } from "../../src/core/judging/engine/material.ts";
import { offlineJudge } from "../../src/core/judging/engine/offline.ts";
import { findProofs } from "../../src/core/judging/engine/proof.ts";
import { readAnswers, readConfirmations } from "../../src/core/judging/engine/replies.ts";
import { errorInside, meaningOf, parseBody, showWords, sizesIn, wordsOf } from "../../src/core/judging/engine/supplier-answers.ts";
import { repeatsFiles } from "../../src/core/judging/modes/repeated-text.ts";
import { parseEntityTags } from "../../src/domain/entity-tags.ts";
import { findInexactNumber } from "../../src/domain/exact-numbers.ts";
import { IMAGE_REFERENCE, registryOfReference, repositoryOfReference } from "../../src/domain/image-reference.ts";
import { foldLook, foldName } from "../../src/domain/look.ts";
import { isOrdinaryMarkdown } from "../../src/domain/markdown-bounds.ts";
import { isBlank, isOneLine } from "../../src/domain/one-line.ts";
import { findPatternFault } from "../../src/domain/re2.ts";
import { parseRetryAfter } from "../../src/domain/retries.ts";
import { tokenize } from "../../src/domain/search-tokens.ts";
import { containsSecret, isSecretPath } from "../../src/domain/secret-files.ts";
import { parseStrictJson } from "../../src/domain/strict-json.ts";
import { isSystemFile, isUnsent } from "../../src/domain/work-files.ts";
import { parseMessage } from "../../src/extensions/mcp/messages.ts";
import { parseFileUri, readAccept } from "../../src/extensions/mcp/rules.ts";
import { keyOfCode, readUserCode } from "../../src/extensions/oauth/rules.ts";
import { summarize } from "../../src/extensions/pages/rules.ts";
import { signTexts } from "../../src/extensions/similarity/signature.ts";
import { readBearer } from "../../src/http/bearer.ts";
import { isJson, readJsonBody } from "../../src/http/body.ts";
import { entityTags } from "../../src/http/entity-tags.ts";
import { category, oneLineText, text as textField, uuid } from "../../src/http/fields.ts";
import { readMultipartFile, readParts } from "../../src/http/multipart.ts";
import { preferredType, prefersCsv } from "../../src/http/negotiation.ts";
import { addressKey, networkOf } from "../../src/http/networks.ts";
import { decodeIdCursor } from "../../src/http/pagination.ts";
import { fillIds } from "../../src/http/paths.ts";
import { fieldsParameter } from "../../src/http/selection.ts";
import { readCookie } from "../../src/http/session-cookie.ts";
import { contentDisposition, resolveRange } from "../../src/http/stored-bytes.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { findRegistryFault, findTargetFault, readTargetHost } from "../../src/platform/outbound.ts";
import { readEvents } from "../../src/platform/read-events.ts";
import { growthOf, MOST_GROWTH, type Pump, pumpsFor, type Reader } from "../support/pumping.ts";
import { evaluationRequest } from "../support/scripted-model.ts";

const encoder = new TextEncoder();
const RULES = { allowInsecure: false };

/** Makes a request whose header has the text as far as a header can carry it. */
const withHeader = (name: string, text: string) => new Request("https://platform.example/", { headers: { [name]: text } });

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
	const bytes = encoder.encode(text);
	for (let at = 0; at < bytes.byteLength; at += size) yield bytes.subarray(at, at + size);
}

/** A body that arrives in many pieces. */
function bodyOf(text: string, size = 16): ReadableStream<Uint8Array> {
	const pieces = piecesOf(text, size);
	return new ReadableStream({
		async pull(controller) {
			const { done, value } = await pieces.next();
			if (done === true) controller.close();
			else controller.enqueue(value);
		},
	});
}

async function readAll(items: AsyncIterable<unknown>): Promise<void> {
	for await (const item of items) void item;
}

async function readForm(text: string): Promise<void> {
	for await (const part of readParts(piecesOf(text, 64), "multipart/form-data; boundary=b")) {
		if (part.kind === "file") await readAll(part.content);
	}
}

const judged = (text: string, path = "a.txt") => ({ path, text, isClaim: false });

/** Looks for a quote in a file, where both are pumped. */
function proveQuote(text: string): void {
	const file = prepareFile(judged(text));
	const shown = [{ file, linesRead: file.lines.length }];
	findProofs([{ path: "a.txt", quote: `${text.slice(0, text.length / 2)}!` }], { shown, mark: "ab2c", claimsProve: true });
}

const request = evaluationRequest({});

const judgeOffline = (path: string) => (text: string) => offlineJudge.evaluate({ ...request, files: [judged(text, path)] }, NO_WATCH);
const NO_WATCH = {} as Parameters<typeof offlineJudge.evaluate>[1];

interface Language {
	/** The readers of this language. */
	readonly readers: Readonly<Record<string, Reader>>;
	/** Pieces of the language besides those that all readers get. */
	readonly own?: readonly string[];
}

const LANGUAGES: Readonly<Record<string, Language>> = {
	headers: {
		own: ["bytes=", "bytes=0-", "text/csv", "text/csv;q=", "Bearer ", "application/json", '"x", ', ', W/"'],
		readers: {
			Accept: (text) => [preferredType(text, ["text/html", "application/json"]), prefersCsv(text), readAccept(text)],
			"If-None-Match": (text) => [parseEntityTags(text), entityTags("").safeParse(text)],
			Range: (text) => resolveRange(text, 1_000),
			"Retry-After": (text) => parseRetryAfter(text, 0),
			Authorization: (text) => readBearer(withHeader("Authorization", text)),
			Cookie: (text) => readCookie(withHeader("Cookie", text), "__Host-session"),
			"Content-Type": (text) => [isJson(text), isContentType(text)],
			"Content-Disposition": (text) => contentDisposition(text),
			"CF-Connecting-IP": (text) => [networkOf(text), addressKey(text)],
		},
	},
	bodies: {
		own: ["\r\n--b", "\r\n--b\r\n", "--b\r\n", "--b--", "Content-Disposition: form-data; ", 'filename="', "\r\n\r\n"],
		readers: {
			form: readForm,
			"headers of a part": (text) => readForm(`--b\r\nContent-Disposition: form-data; name="file"; ${text}\r\n\r\nx\r\n--b--`),
			"file of a form": async (text) => {
				const start = '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
				await readAll(await readMultipartFile(piecesOf(`${start}${text}\r\n--b--`, 64), "multipart/form-data; boundary=b"));
			},
			boundary: (text) => readMultipartFile(piecesOf("x", 1), `multipart/form-data; ${text}`),
			JSON: (text) => {
				const init = { method: "POST", headers: { "Content-Type": "application/json" }, body: text };
				return readJsonBody(new Request("https://platform.example/", init), { required: true, keepsNumbers: true }, systemClock);
			},
		},
	},
	json: {
		own: ['{"a":[', '{"a":1,', '"\\u0041', "1234567890123456", "1e999,", "[1e400,", '{"b":"', "null,", "}]"],
		readers: {
			strict: parseStrictJson,
			"exact numbers": (text) => [findInexactNumber(text, "value"), findInexactNumber(`[${text}12345678901234567890]`, "value")],
			reply: (text) => [readAnswers(text, 4), readConfirmations(text, 4)],
			"thinking reply": (text) => readAnswers(`<think>${text}</think>{"check_1":{"found":"yes","evidence":[]},"gaps":["${text}"]}`, 1),
			envelope: parseEnvelope,
			message: (text) => parseMessage({ jsonrpc: "2.0", id: text, method: text, params: { arguments: { [text]: text } } }),
			safe: (text) => toSafeJson({ text }),
		},
	},
	"names and paths": {
		own: ["node_modules/", ".git/", "__MACOSX/", "._", "C:\\", "SUBMISSION.md", "readme.", ".tar.gz", "id_rsa", "sha256:", ":80/", "a/b@"],
		readers: {
			artifact: (text) => [findArtifactPathFault(text), foldPath(text)],
			"files of a submission": (text) =>
				parseFiles(Object.fromEntries(text.match(/[\s\S]{1,8}/g)?.map((path, at) => [`${at}/${path}`, "x"]) ?? [])),
			"nested file": (text) => parseFiles({ [text]: "x", [`${text}/y`]: "x" }),
			workspace: (text) => [findPathFault(text), findPrefixFault(text)],
			attachment: cleanFilename,
			kinds: (text) => [isGenerated(text), isClaimFile(text), isSystemFile(text), isUnsent(text), isSecretPath(text)],
			"looks alike": (text) => [foldLook(text), foldName(text)],
			"local names": (text) => [localFileName(text, [text]), localFolderName({ title: text, id: text })],
			"image reference": (text) => [IMAGE_REFERENCE.test(text), registryOfReference(text), repositoryOfReference(text)],
			"target of a webhook": (text) => [
				findTargetFault(`https://${text}`, RULES),
				findTargetFault(text, RULES),
				readTargetHost(`https://${text}.example`, RULES),
			],
			registry: (text) => findRegistryFault(text, RULES),
			"file of MCP": (text) => [parseFileUri(text), parseFileUri(`submission://01a23616-e5c0-71fe-868e-72581ec4421f/${text}`)],
			"id in a path": (text) => fillIds("/api/tasks/{id}/rubric", text),
			"one line": (text) => [isOneLine(text), isBlank(text)],
			fields: (text) => [
				textField({ max: 100 }).safeParse(text),
				oneLineText({ max: 100 }).safeParse(text),
				category.safeParse(text),
				uuid.safeParse(text),
				fieldsParameter.safeParse(text),
			],
			cursor: (text) => decodeIdCursor(text),
			codes: (text) => [readUserCode(text), keyOfCode(text)],
		},
	},
	"texts of tasks": {
		own: [
			"# ",
			"- [ ] ",
			"e.g. ",
			"No. ",
			"===\n",
			"---\n",
			"1) ",
			"OR ",
			'"a b" ',
			"本 ",
			"**acceptance**\n",
			"[a](b)",
			"| a | b\n",
			"|---\n",
			"~~~\n",
			"(?<",
			"[^",
			"\\Q",
		],
		readers: {
			checks: (text) => [checksByRules({ name: "n", description: text }), cleanChecks([text, text])],
			lint: (text) =>
				lintRubric([
					{ name: "a", description: text, weight: 50 },
					{ name: "b", description: text, weight: 50 },
				]),
			language: (text) => [isEnglish(text), evidenceFor({ name: "", description: text, checks: [] }, null)],
			query: (text) => planSearch(text, { status: "any", category: null, readerId: "" }),
			tokens: tokenize,
			summary: summarize,
			markup: (text) => [escapeMarkup(text), cutText(text)],
			markdown: (text) => (isOrdinaryMarkdown(text) ? fromMarkdown(text.slice(0, 10_000)) : null),
			csv: (text) => formatCsvRow([text, `=${text}`]),
			"pattern of a case": (text) => findPatternFault(text.slice(0, MAX_PATTERN_CHARACTERS)),
			"stored parts": splitText,
			"docs search": (text) => {
				const page = { title: "t", description: null, headings: ["a b"], body: "Submit a file. `a` (x) [y]\n".repeat(100) };
				return [searchPage(page, text), searchPageForWords(page, text.slice(0, 2_000))];
			},
			"pasted issue": parseIssue,
			"pasted title": (text) => parseIssue(`# ${text}`),
			"task file": (text) => parseTaskFile(text, "task.yaml"),
			lists: (text) => [parseTags(text), parseList(text)],
			shown: (text) => [showHidden(text), clean(text), cleanPainted(text), logLine(text), escapeForComment(text), parseNote(text)],
		},
	},
	"files of a work": {
		own: [
			"\u001b[",
			"function a(",
			") {",
			"return;",
			"pass ",
			"a = b ",
			"def a: ",
			'"""',
			"'''",
			"const a = ",
			"# a ",
			"FROM ",
			"module ",
			"a:\n",
			"-----BEGIN ",
			"sk-",
			"AKIA",
			"export ",
		],
		readers: {
			marking: (text) => [
				cleanText(text),
				cleanLine(text, 100),
				splitLines(text),
				splitPieces(text),
				markText("ab2c", text),
				withoutMarks("ab2c", text),
			],
			"shown to a judge": (text) =>
				showMaterial({ files: [judged(text)], unreadPaths: [text], missingSections: [], facts: [text] } as never, {
					mark: "ab2c",
					room: 30_000,
				}),
			proof: proveQuote,
			"quote of a model": (text) => findProofs([{ path: text, quote: text }], { shown: [], mark: "ab2c", claimsProve: true }),
			"repeated text": (text) => repeatsFiles({ reasoning: text, gaps: [text] }, [judged(text), judged(`${text}y`)]),
			"offline judge, prose": judgeOffline("a.md"),
			"offline judge, code": judgeOffline("a.py"),
			sections: findMissingSections,
			similarity: (text) => signTexts([text]),
			secrets: containsSecret,
			"plain files": (text) => ["Makefile", "Dockerfile", "go.mod", "a.json"].map((path) => factsOf(path, text)),
			TypeScript: (text) => [factsOf("a.ts", text), factsOf("a.tsx", text)],
			TOML: (text) => factsOf("pyproject.toml", text.slice(0, 20_000)),
			UTF8: (text) => decodeUtf8(encoder.encode(text)),
			"quotes in the console": (text) =>
				placeQuotes(splitShownLines(text), [{ path: "a", start: 1, end: 2, quote: text.slice(0, 100) } as never]),
		},
	},
	"replies of others": {
		own: [
			"data: {}\n\n",
			"event: a\n",
			"id: 1\n",
			":\n",
			"retry: 1\n",
			"data:\r",
			"</think>",
			"max_tokens ",
			"context length ",
			"<testcase ",
			"<testsuite>",
			"<!DOCTYPE ",
			"<![CDATA[",
			"9,999 ",
		],
		readers: {
			"stream of a model": (text) => readAll(readEvents(bodyOf(text).getReader())),
			"stream in the SDK": (text) => readAll(readStreamOfSdk(new Response(bodyOf(text)))),
			"error of a model": (text) => [
				wordsOf(parseBody(text)),
				meaningOf({ status: 400, words: text.slice(0, 2_000) }),
				sizesIn(text.slice(0, 2_000)),
				showWords(text.slice(0, 2_000)),
				errorInside({ error: { message: text, detail: text } }),
			],
			"JUnit report": parseJunit,
			reward: parseRewardText,
			"output of a case": (text) => [contains(text, text.slice(0, text.length / 4)), contains(text, `${text.slice(0, text.length / 4)}!`)],
			receipt: (text) => readSigned(`${text}.${text}.${text}`, { keys: [] }),
			settings: (text) => readVariables(settings, { JUDGE: text, JUDGE_PRICES: text, ADMIN_TOKEN_SHA256: text, EVM_RPC_URLS: text }),
		},
	},
};

function factsOf(path: string, text: string) {
	return findFacts({ files: [judged(text, path)], unreadPaths: [], manifest: [{ path, bytes: text.length }] });
}

describe.each(Object.entries(LANGUAGES))("%s", (_, { readers, own }) => {
	it.each(Object.entries(readers))("%s", async (_name, read) => {
		const faults: string[] = [];
		for (const pump of pumpsFor(own)) {
			const growth = await growthOf(read, pump);
			if (growth >= MOST_GROWTH) faults.push(`${Math.round(growth)} times as long for ${describePump(pump)}`);
			if (faults.length === 3) break;
		}
		expect(faults).toEqual([]);
	});
});

const describePump = ({ start, part, end }: Pump) => `${JSON.stringify(start)} + ${JSON.stringify(part)} × n + ${JSON.stringify(end)}`;

/** With this stride, the longest text takes a few times as long as the quickest measured reader. */
const STRIDE = 8;

describe("a measurement", () => {
	it("tells readers whose time grows with the square from linear ones", async () => {
		const pump = { start: "", part: " ", end: "x" };
		const compareAll = (text: string) => {
			let equal = 0;
			for (const one of text) for (let at = 0; at < text.length; at += STRIDE) if (text[at] === one) equal += 1;
			return equal;
		};
		expect(await growthOf(compareAll, pump)).toBeGreaterThan(MOST_GROWTH);
		expect(await growthOf((text) => [...text].map((character) => character.toUpperCase()).toSorted(), pump)).toBeLessThan(MOST_GROWTH);
	});
});
