import * as z from "zod";
import { tasks } from "../../../db/task/schema/task.ts";
import { AppError } from "../../../domain/errors.ts";
import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { STORED_BYTES_HEADERS, serveObject } from "../../../http/stored-bytes.ts";
import { taskVerb } from "../../../ports/task.ts";
import { exampleSuite, suiteFile } from "./test-suite.ts";

export const downloadTestSuite = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/test-suite/content",
	operationId: "downloadTestSuite",
	summary: "Download a test suite by its signed URL",
	description: "For the grader. The URL is the credential.",
	tags: ["Internal"],
	auth: "signed",
	rate: "none",
	params: idParams,
	response: {
		status: 200,
		description: "The file.",
		schema: z.string(),
		contentType: "application/json",
		textSchemas: { "application/json": suiteFile },
		headers: STORED_BYTES_HEADERS,
	},
	errors: ["NOT_FOUND"],
	examples: { params: { id: ID.task }, texts: { "application/json": exampleSuite } },

	async handle(ctx, { params }) {
		const key = await findTestSuiteKey(ctx, params.id, null);
		const object = key === null ? null : await ctx.bucket.get(key);
		if (object === null) throw new AppError("NOT_FOUND", { message: "The task has no test suite." });
		return serveObject(object, "application/json", "test_suite.json");
	},
});

const findTestSuiteKey = taskVerb("findTestSuiteKey", ({ db }, _input: null) => {
	const row = db.select({ key: tasks.testSuiteKey }).from(tasks).get();
	return row?.key ?? null;
});
