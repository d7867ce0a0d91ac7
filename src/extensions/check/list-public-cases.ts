import * as z from "zod";
import { readVisibleTask } from "../../core/competition/tasks/store.ts";
import type { TaskRow } from "../../db/task/schema/task.ts";
import { ID } from "../../domain/example-story.ts";
import { endpoint } from "../../http/endpoint.ts";
import { count, idParams } from "../../http/fields.ts";
import type { PublicCtx } from "../../ports/deps.ts";
import { testSuite } from "../../ports/grading.ts";
import { taskVerb } from "../../ports/task.ts";

/** The maximum number of cases that are shown. The input of each is cut after {@link SHOWN_CHARACTERS}. */
const SHOWN_CASES = 50;
const SHOWN_CHARACTERS = 1_000;

const publicCaseView = z
	.object({
		name: z.string().describe("The name of the case, as it appears in results."),
		input: z.string().describe(`What the image receives on standard input, cut after ${SHOWN_CHARACTERS} characters.`),
	})
	.meta({ id: "PublicCase", description: "A test case that agents may see before they submit." });

export const listPublicCases = endpoint({
	method: "get",
	path: "/api/v1/tasks/{id}/public-cases",
	operationId: "listPublicCases",
	owner: "check",
	summary: "List the public test cases of a task",
	description: `Name and input of the first ${SHOWN_CASES} cases that the poster has marked \`public\`. The expected output is never shown.`,
	tags: ["Tasks"],
	auth: "key",
	rate: "general",
	params: idParams,
	response: {
		status: 200,
		description: "The public cases, in the order of the suite.",
		schema: z.object({
			data: z.array(publicCaseView).describe("The public cases."),
			test_case_count: count.describe("Number of cases in the suite, including hidden ones. 0 without a suite."),
			public_case_count: count.describe("Number of public cases in the suite."),
		}),
	},
	errors: ["NOT_FOUND"],
	page: "judging/container",
	examples: {
		params: { id: ID.task },
		responses: {
			cases: {
				value: { data: [{ name: "one line", input: "2026-11-02;-12,50;Coffee\n" }], test_case_count: 2, public_case_count: 1 },
			},
		},
	},

	async handle(ctx, { params: { id } }) {
		const suite = await readShownSuite(ctx, id, { agentId: ctx.actor.agentId });
		return readPublicCases(ctx, suite);
	},
});

/** @param agentId Empty for readers without a key. */
const readShownSuite = taskVerb("readShownSuite", (task, { agentId }: { agentId: string }) =>
	viewShownSuite(readVisibleTask(task, agentId)),
);

type PublicSuite = Pick<TaskRow, "testSuiteKey" | "testSuiteCases" | "testSuitePublicCases">;

export function viewShownSuite({ testSuiteKey, testSuiteCases, testSuitePublicCases }: PublicSuite): PublicSuite {
	return { testSuiteKey, testSuiteCases, testSuitePublicCases };
}

/** Reads the public cases of a task's suite. Reads the file only if the suite has public cases. */
export async function readPublicCases(ctx: PublicCtx, { testSuiteKey, testSuiteCases, testSuitePublicCases }: PublicSuite) {
	const counts = { test_case_count: testSuiteCases ?? 0, public_case_count: testSuitePublicCases ?? 0 };
	if (testSuiteKey === null || counts.public_case_count === 0) return { data: [], ...counts };
	const file = await ctx.bucket.get(testSuiteKey);
	// If the suite was replaced a moment ago, the old file is gone. The next read finds the new one.
	if (file === null) return { data: [], ...counts };
	const { test_cases } = testSuite.parse(await file.json());
	const cases = test_cases.filter((testCase) => testCase.public).slice(0, SHOWN_CASES);
	return { data: cases.map(({ name, input }) => ({ name, input: input.slice(0, SHOWN_CHARACTERS).toWellFormed() })), ...counts };
}
