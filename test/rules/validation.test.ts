// Tests validation messages, which people read: the table has each fault with its message.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { operations } from "../../src/compose/endpoints.ts";
import { invalidInput, sentenceOf } from "../../src/domain/errors.ts";
import { oneLineText, repeatable, uuid } from "../../src/http/fields.ts";
import { limitParameter } from "../../src/http/pagination.ts";
import { describeIssue, faultsOf } from "../../src/http/validation.ts";

/** Returns the message about the first fault that a caller reads. */
function messageOf(schema: z.ZodType, input: unknown): string {
	const parsed = schema.safeParse(input, { error: describeIssue });
	return parsed.success ? "accepted" : invalidInput("INVALID_BODY", faultsOf(parsed.error)).message;
}

const of = (field: z.ZodType) => z.object({ field });
const limit = z.object({ limit: limitParameter({ max: 100, default: 20 }) });
const task = { title: "T", budget_cents: 10_000, deadline: "2999-01-01T00:00:00Z" };

describe("a validation message", () => {
	it.each<[z.ZodType, unknown, string]>([
		[operations.createTask.body.schema, { ...task, title: undefined }, "title is required"],
		[operations.createTask.body.schema, { ...task, title: 5 }, "title must be text"],
		[operations.createTask.body.schema, { ...task, title: null }, "title must be text"],
		[operations.createTask.body.schema, { ...task, title: "" }, "title must have 1 to 200 characters"],
		[operations.createTask.body.schema, { ...task, budget_cents: undefined }, "budget_cents is required"],
		[operations.createTask.body.schema, { ...task, budget_cents: 5 }, "budget_cents must be at least 10000"],
		[operations.createTask.body.schema, { ...task, budget_cents: 10_000.5 }, "budget_cents must be a whole number"],
		[operations.createTask.body.schema, { ...task, budget_cents: "10000" }, "budget_cents must be a number"],
		[operations.createTask.body.schema, { ...task, eval_mode: "magic" }, "eval_mode must be one of llm, container, hybrid, external"],
		[operations.createTask.body.schema, { ...task, eval_network: "yes" }, "eval_network must be true or false"],
		[operations.createTask.body.schema, { ...task, criteria: {} }, "criteria must be a list"],
		[operations.createTask.body.schema, { ...task, criteria: [] }, "criteria must not be empty"],
		[operations.createTask.body.schema, { ...task, criteria: [5] }, "criteria[0] must be an object"],
		[operations.createTask.body.schema, { ...task, criteria: [{ name: "A" }] }, "criteria[0].weight is required"],
		[operations.createTask.body.schema, { ...task, deadline: undefined }, "deadline is required"],
		[
			operations.createTask.body.schema,
			{ ...task, deadline: "tomorrow" },
			"deadline must be an ISO 8601 date-time with a time zone, such as 2027-01-31T12:00:00Z",
		],
		[operations.createTask.body.schema, [], "must be an object"],
		[operations.updateTask.body.schema, { titel: "x" }, "titel is not a field of this request"],
		[limit, { limit: "101" }, "limit must be at most 100"],
		[limit, { limit: "0" }, "limit must be at least 1"],
		[limit, { limit: "x" }, "limit must be a whole number from 1 to 100"],
		[limit, { limit: ["1", "2"] }, "limit must be text"],
		[of(uuid), { field: "x" }, "field must be a UUID"],
		[of(z.url()), { field: "x" }, "field must be a URL"],
		[of(z.string().max(3)), { field: "abcd" }, "field must have at most 3 characters"],
		[of(z.string().max(1)), { field: "ab" }, "field must have at most 1 character"],
		[of(z.string().min(1)), { field: "" }, "field must not be empty"],
		[of(z.string().min(2)), { field: "a" }, "field must have at least 2 characters"],
		[of(z.string().regex(/^a/)), { field: "b" }, "field has the wrong format"],
		[of(z.array(z.string()).max(2)), { field: ["", "", ""] }, "field must have at most 2 items"],
		[of(z.number().gt(0)), { field: 0 }, "field must be more than 0"],
		[of(z.number().lt(9)), { field: 9 }, "field must be less than 9"],
		[of(z.number().multipleOf(5)), { field: 3 }, "field must be a multiple of 5"],
		[of(z.literal("a")), { field: "b" }, "field must be a"],
		[of(z.literal("a")), {}, "field is required and must be a"],
		[of(z.enum(["a", "b"])), {}, "field is required and must be one of a, b"],
		[of(z.union([z.string(), z.number()])), { field: true }, "field does not match any of the accepted forms"],
		[of(z.union([z.string(), z.number()])), {}, "field is required"],
		[of(repeatable(z.enum(["a", "b"]), "")), { field: "c" }, "field must be one of a, b"],
		[of(repeatable(z.enum(["a", "b"]), "")), { field: ["a", "c"] }, "field must be one of a, b"],
		[of(repeatable(z.string().max(3), "")), { field: "abcd" }, "field must have at most 3 characters"],
		[of(repeatable(z.string().max(3), "")), { field: ["a", "abcd"] }, "field[1] must have at most 3 characters"],
		[of(z.union([z.literal("a"), z.literal("b")])), { field: "c" }, "field does not match any of the accepted forms"],
		[of(z.custom<string>((value) => value === 1)), { field: 2 }, "field is not valid"],
		[of(oneLineText({ min: 1, max: 5 })), { field: "abcdef" }, "field must have 1 to 5 characters"],
		[of(z.object({ inner: z.string() })), { field: {} }, "field.inner is required"],
	])("%#", (schema, input, expected) => {
		expect(messageOf(schema, input)).toBe(expected);
	});

	it("stays unchanged if it is a sentence, and follows a colon if it does not continue the name", () => {
		expect(sentenceOf({ path: "", message: "must be an object" })).toBe("must be an object");
		expect(sentenceOf({ path: "a", message: sentenceOf({ path: "a", message: "is required" }) })).toBe("a is required");
		expect(sentenceOf({ path: "file", message: "send one file at a time" })).toBe("file: send one file at a time");
	});

	it("is in details too", () => {
		expect(invalidInput("INVALID_BODY", [{ path: "title", message: "is required" }]).facts.details).toEqual([
			{ path: "title", message: "title is required" },
		]);
	});
});
