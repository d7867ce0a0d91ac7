import * as z from "zod";
import { AppError, invalidInput } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams, taskId } from "../../../http/fields.ts";
import { type FormWithFile, readFormWithFile } from "../../../http/form.ts";
import { describeIssue, faultsOf } from "../../../http/validation.ts";
import { sha256Hex } from "../../../platform/crypto.ts";
import { type TestCase, testSuite } from "../../../ports/grading.ts";
import { commitUse } from "../../identity/network-caps/service.ts";
import * as rules from "./rules.ts";
import { getOwnTask } from "./store.ts";
import { exampleSuite, newSuiteKey, storeSuite, suiteFile, testSuiteView, viewTestSuite } from "./test-suite.ts";

export const uploadTestSuite = endpoint({
	method: "post",
	path: "/api/v1/tasks/{id}/test-suite",
	operationId: "uploadTestSuite",
	summary: "Give a draft a test suite",
	description: [
		"The image runs once for each case. Replaces the draft's current suite.",
		"In modes container and hybrid, each case's `input` goes to the image's standard input, and `test_score` is the share of cases with the expected output. A suite has 1 to 1,000 cases.",
		"Any draft accepts a test suite, in every `eval_mode`, because the mode can still change. A published task keeps its suite.",
		"`expected_output` and `match_type` never enter a container. Agents see the name of each case and whether it passed; they see the input and the output of a case only if it is `public`.",
	].join("\n\n"),
	tags: ["Poster"],
	auth: "key",
	rate: "general",
	params: idParams,
	rawBody: {
		contentTypes: ["multipart/form-data"],
		description:
			"A form with the field `file`: a .json file of at most 5 MB. If the file has no name, or is named `blob`, its Content-Type must be application/json.",
		form: {
			schema: z.object({
				file: z.string().meta({
					description: "A .json file of at most 5 MB.",
					override: {
						type: "string",
						contentMediaType: "application/json",
						contentSchema: suiteFile,
						maxLength: rules.MAX_TEST_SUITE_BYTES,
					},
				}),
			}),
			contentTypes: { file: "application/json" },
		},
	},
	response: {
		status: 200,
		description: "The suite is stored.",
		schema: testSuiteView
			.extend({ task_id: taskId })
			.meta({ id: "UploadedTestSuite", description: "A test suite that has just been stored." }),
	},
	errors: ["NOT_FOUND", "FORBIDDEN", "CONFLICT", "VALIDATION_ERROR", "BAD_REQUEST", "FILE_TOO_LARGE", "UNSUPPORTED_FILE_TYPE"],
	page: "judging/container",
	examples: {
		params: { id: ID.task },
		form: { file: JSON.stringify(exampleSuite) },
		responses: {
			stored: {
				value: {
					task_id: ID.task,
					test_case_count: exampleSuite.test_cases.length,
					public_case_count: 1,
					file_size: 412,
					sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
				},
			},
		},
	},

	async handle(ctx, { params: { id: taskId }, request }) {
		const { bytes, cases } = parseSuite((await readFormWithFile(request, rules.MAX_TEST_SUITE_BYTES, ctx.clock)).file);
		rules.assertEditable((await getOwnTask(ctx, taskId)).task);
		await commitUse(ctx, { agentId: ctx.actor.agentId, kind: "bytes", amount: bytes.byteLength });
		const suite = {
			testSuiteKey: newSuiteKey(ctx, taskId),
			testSuiteCases: cases.length,
			testSuitePublicCases: cases.filter((testCase) => testCase.public).length,
			testSuiteBytes: bytes.byteLength,
			testSuiteSha256: await sha256Hex(bytes),
		};
		await storeSuite(ctx, taskId, { key: suite.testSuiteKey, bytes, suite });
		return { task_id: taskId, ...viewTestSuite(suite) };
	},
});

/** The image runs once per case, so a suite with more cases would exceed the time limit. */
const boundedSuite = testSuite
	.extend({ test_cases: testSuite.shape.test_cases.max(rules.MAX_TEST_CASES) })
	.superRefine(({ test_cases }, context) => {
		for (const { path, message } of rules.findSuiteFaults(test_cases)) context.addIssue({ code: "custom", path: [...path], message });
	});

/** @throws AppError `UNSUPPORTED_FILE_TYPE`, `VALIDATION_ERROR`. */
function parseSuite({ filename, mediaType, bytes }: FormWithFile["file"]): {
	bytes: FormWithFile["file"]["bytes"];
	cases: readonly TestCase[];
} {
	const isJsonFile = filename === null ? mediaType === "application/json" : /\.json$/i.test(filename);
	if (!isJsonFile) {
		const message = "A test suite is a .json file. Rename or convert the file, or send it as application/json without a file name.";
		throw new AppError("UNSUPPORTED_FILE_TYPE", { message });
	}
	const parsed = boundedSuite.safeParse(parseSuiteJson(bytes), { error: describeIssue });
	if (!parsed.success) throw invalidInput("VALIDATION_ERROR", faultsOf(parsed.error));
	return { bytes, cases: parsed.data.test_cases };
}

function parseSuiteJson(bytes: Uint8Array): unknown {
	try {
		return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
	} catch (cause) {
		const reason = cause instanceof SyntaxError ? cause.message : "it is not UTF-8";
		throw invalidInput("VALIDATION_ERROR", [{ path: "file", message: `is not valid JSON: ${reason}` }]);
	}
}
