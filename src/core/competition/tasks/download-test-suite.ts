import * as z from "zod";
import { tasks } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import {
	asDownload,
	EXAMPLE_CONDITIONS,
	partsOfBytes,
	STORED_BYTES_CONDITIONS,
	STORED_BYTES_HEADERS,
	serveObject,
} from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { exampleSuite, suiteFile } from "./test-suite.ts";

export const downloadTestSuite = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/test-suite/content",
	operationId: "downloadTestSuite",
	summary: "Download a test suite from its signed URL",
	description: "The grader downloads the suite from this signed URL. It needs no key.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: idParams,
	headers: z.object(STORED_BYTES_CONDITIONS),
	response: {
		status: 200,
		description: "The file.",
		schema: z.string(),
		contentType: "application/json",
		textSchemas: { "application/json": suiteFile },
		headers: STORED_BYTES_HEADERS,
		others: partsOfBytes("application/json"),
	},
	errors: ["NOT_FOUND", "RANGE_NOT_SATISFIABLE"],
	examples: { params: { id: ID.task }, headers: EXAMPLE_CONDITIONS, texts: { "application/json": exampleSuite } },

	async handle(ctx, { params, request }) {
		const key = await findTestSuiteKey(ctx, params.id, null);
		const describe = asDownload("application/json", "test_suite.json");
		const response = key === null ? null : await serveObject(ctx.bucket, { key, request, describe });
		if (response === null) throw new AppError("NOT_FOUND", { message: "The task has no test suite." });
		return response;
	},
});

const findTestSuiteKey = taskVerb("findTestSuiteKey", ({ db }, _input: null) => {
	const row = db.select({ key: tasks.testSuiteKey }).from(tasks).get();
	return row?.key ?? null;
});
