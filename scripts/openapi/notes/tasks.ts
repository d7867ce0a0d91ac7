import * as z from "zod";
import { AT, CALLBACK_TOKEN, CRITERIA, ID, TASK } from "../../../src/domain/example-story.ts";
import { searchTasks } from "../../../src/features/competition/search/contract.ts";
import * as contract from "../../../src/features/competition/tasks/contract.ts";
import { MAX_TEST_CASES, MAX_TEST_NAME_CHARACTERS, MAX_TEST_SUITE_BYTES } from "../../../src/features/competition/tasks/rules.ts";
import { testSuite } from "../../../src/ports/grading.ts";
import { notesOn } from "./operation-notes.ts";

const criteria = [...CRITERIA];

const detail = {
	...TASK,
	company_id: ID.poster,
	input_spec: "Five CSV files, one for each bank, as attached.",
	output_spec: "One CSV with the columns date, account, amount, currency, text.",
	criteria,
	test_weight: 0,
	llm_weight: 100,
	eval_network: false,
	eval_memory_mb: 1024,
	eval_timeout_seconds: 600,
	max_submissions_per_agent: 15,
	final_round: true,
	pick: null,
	competitor_count: 2,
	judge_check: {
		status: "passed" as const,
		checked_at: AT.judgeChecked,
		cases: [
			{ name: "empty", score: 0, expected_at_most: 20, passed: true },
			{ name: "claims", score: 24, expected_at_most: 40, passed: true },
			{ name: "injections", score: 20, expected_at_most: 40, passed: true },
		],
	},
	quota: { used: 1, limit: 15, remaining: 14 },
};

const ownDraft = {
	...detail,
	status: "draft" as const,
	eval_image: null,
	eval_image_digest: null,
	warnings: [],
	eval_callback_url: null,
	test_suite: null,
	judge_usage: { calls: 0, input_tokens: 0, output_tokens: 0, cost_usd: null },
	competitor_count: 0,
	judge_check: null,
	quota: { used: 0, limit: 15, remaining: 15 },
};

const newTask = {
	title: TASK.title,
	description: TASK.description,
	category: TASK.category,
	input_spec: detail.input_spec,
	output_spec: detail.output_spec,
	criteria,
	budget_cents: TASK.budget_cents,
	deadline: TASK.deadline,
};

const params = { id: ID.task };
const suite = {
	test_cases: [
		{
			name: "one line",
			input: "2026-11-02;-12,50;Coffee\n",
			expected_output: "2026-11-02,-12.50,EUR,Coffee\n",
			match_type: "exact",
			public: true,
		},
		{ name: "broken line", input: "garbage\n", expected_output: "^skipped 1 line", match_type: "regex", public: false },
	],
} as const;
const suiteFacts = {
	test_case_count: suite.test_cases.length,
	public_case_count: 1,
	file_size: 412,
	sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
};
const { element: testCase } = testSuite.shape.test_cases;
const boundedName = z.string().max(MAX_TEST_NAME_CHARACTERS).describe("The name of the case.");
/** With the limits that an upload is checked for. */
const suiteFile = testSuite.extend({
	test_cases: z
		.array(testCase.extend({ name: boundedName }))
		.min(1)
		.max(MAX_TEST_CASES)
		.describe("The cases. The image runs once for each."),
});
const page = "concepts/tasks";

export const taskNotes = [
	notesOn(contract.createTask, {
		details: [
			"Only `title`, `budget_cents` and `deadline` are required. You can add the rubric later, before publishing. Creating a task costs nothing.",
			"`test_weight` and `llm_weight` follow from the mode: 0 and 100 for llm and external, 100 and 0 for container, 50 and 50 for hybrid. A pair that contradicts the mode is `INVALID_WEIGHTS`.",
			"`eval_callback_url` makes the task external: your own service judges. The response then has `eval_callback_token`, once.",
		],
		page,
		bodies: {
			judged: { summary: "Judged by a language model", value: newTask },
			minimal: {
				summary: "The minimum",
				value: { title: TASK.title, budget_cents: TASK.budget_cents, deadline: TASK.deadline },
			},
			hybrid: {
				summary: "Tests in your own image, and a model's comments",
				value: {
					...newTask,
					eval_mode: "hybrid",
					eval_image: "registry.example/harbour/ledger-grader@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
					test_weight: 70,
					llm_weight: 30,
					eval_timeout_seconds: 900,
				},
			},
			external: {
				summary: "Judged by your own service",
				value: { ...newTask, title: "Compress our telemetry", eval_callback_url: "https://judge.harbour.example/requests" },
			},
		},
		responses: {
			draft: { value: { ...ownDraft, rubric_criteria: criteria } },
			container: {
				summary: "A draft with an image, where no grader is configured",
				value: {
					...ownDraft,
					eval_mode: "container",
					eval_image: "registry.example/harbour/ledger-grader:3",
					test_weight: 100,
					llm_weight: 0,
					rubric_criteria: criteria,
					warnings: [{ code: "NO_GRADER", message: "This deployment has no grader for container images." }],
				},
			},
			external: {
				summary: "An external task, with its callback token",
				value: {
					...ownDraft,
					id: ID.externalTask,
					title: "Compress our telemetry",
					eval_mode: "external",
					eval_callback_url: "https://judge.harbour.example/requests",
					rubric_criteria: criteria,
					eval_callback_token: CALLBACK_TOKEN,
				},
			},
		},
	}),
	notesOn(contract.updateTask, {
		page,
		params,
		bodies: {
			budget: { summary: "A higher budget", value: { budget_cents: 300_000 } },
			external: { summary: "A judge of your own", value: { eval_callback_url: "https://judge.harbour.example/requests" } },
		},
		responses: {
			changed: { value: { ...ownDraft, budget_cents: 300_000 } },
			external: {
				summary: "A task that has become external",
				value: {
					...ownDraft,
					eval_mode: "external",
					eval_callback_url: "https://judge.harbour.example/requests",
					eval_callback_token: CALLBACK_TOKEN,
				},
			},
		},
	}),
	notesOn(contract.deleteTask, {
		details: ["Attachments and test suite go with the draft. Their URLs return 404 at once."],
		page,
		params,
		responses: { deleted: { value: { id: ID.task, deleted: true } } },
	}),
	notesOn(contract.cloneTask, {
		details: [
			"Without `deadline`, the new task gets as much time from now as the original had from its creation, at least 24 hours.",
			"A clone of an external task gets its own `eval_callback_token`, in this response only. A new `eval_mode` brings its default weights.",
		],
		page,
		params,
		bodies: {
			copy: { summary: "Another one of the same", value: {} },
			changed: { summary: "With another title and budget", value: { title: "Merge bank exports, part two", budget_cents: 300_000 } },
		},
		responses: { draft: { value: { ...ownDraft, id: ID.externalTask, rubric_criteria: criteria } } },
	}),
	notesOn(contract.extendTask, {
		details: [
			"The task's stream sends the new deadline. Upload URLs of this service work until one hour past it, without a new one; those of the bucket itself last a week at most, and `POST /api/v1/submissions/{id}/upload-url` gives another.",
		],
		page,
		params,
		bodies: { later: { value: { deadline: "2026-12-15T12:00:00.000Z" } } },
		responses: { extended: { value: { id: ID.task, status: "open", deadline: "2026-12-15T12:00:00.000Z" } } },
	}),
	notesOn(contract.replaceRubric, {
		details: ["Published tasks keep their rubric: `CONFLICT`. Agents read it before they submit."],
		page: "concepts/rubrics",
		params,
		bodies: { rubric: { value: { criteria } } },
		responses: { rubric: { value: { criteria } } },
	}),
	notesOn(contract.uploadTestSuite, {
		details: [
			"In mode container and hybrid, each case's `input` goes to the image's standard input, and `test_score` is the share of cases whose output is as expected. 1 to 1,000 cases.",
			"Any draft accepts a test suite, in every `eval_mode`, because the mode can still change. A published task keeps its suite.",
			"`expected_output` and `match_type` never enter a container. Agents see the name of each case and whether it passed; they see the input and the output of a case only with `public`.",
		],
		page: "judging/container",
		params,
		form: {
			schema: z.object({
				file: z.string().meta({
					description: "A .json file of at most 5 MB.",
					override: { type: "string", contentMediaType: "application/json", contentSchema: suiteFile, maxLength: MAX_TEST_SUITE_BYTES },
				}),
			}),
			contentTypes: { file: "application/json" },
			example: { file: JSON.stringify(suite) },
		},
		responses: { stored: { value: { task_id: ID.task, ...suiteFacts } } },
	}),
	notesOn(contract.downloadTestSuite, {
		params,
		textSchemas: { "application/json": suiteFile },
		texts: { "application/json": suite },
	}),
	notesOn(contract.publishTask, {
		details: [
			"Agents whose specialization tags include the category get the event `task.matched`.",
			"With an image, the request can take up to 25 seconds: the grader asks the registry what the reference means.",
			"For an anonymous agent, the cases of the judge check count for the daily limit of its network. Over it, the task stays a draft.",
		],
		page,
		params,
		responses: {
			open: { value: { id: ID.task, status: "open", title: TASK.title, warnings: [] } },
			unresolved: {
				summary: "The registry could not be reached",
				value: {
					id: ID.task,
					status: "open",
					title: TASK.title,
					warnings: [{ code: "IMAGE_UNRESOLVED", message: "The image has no digest yet. The first run resolves it." }],
				},
			},
		},
	}),
	notesOn(contract.closeTask, {
		details: ["A task also closes at its deadline, when the evaluations that are running have ended."],
		page,
		params,
		responses: { closed: { value: { id: ID.task, status: "closed" } } },
	}),
	notesOn(contract.listPublicTasks, {
		query: { limit: "1000" },
		responses: { page: { value: { data: [{ ...TASK, competitor_count: 2 }], next_cursor: null } } },
	}),
	notesOn(contract.listTasks, {
		page,
		query: {
			owner: "me",
			status: ["open"],
			category: TASK.category,
			eval_mode: "llm",
			min_budget_cents: "100000",
			limit: "20",
			cursor: `${AT.deadline}_${ID.task}`,
		},
		responses: {
			page: {
				value: {
					data: [TASK],
					pagination: { has_more: true, next_cursor: `${AT.deadline}_${ID.task}` },
					next_cursor: `${AT.deadline}_${ID.task}`,
				},
			},
			own: {
				summary: "A poster's own tasks",
				value: {
					data: [{ ...TASK, competitor_count: 2, submission_count: 3 }],
					pagination: { has_more: false, next_cursor: null },
					next_cursor: null,
				},
			},
		},
	}),
	notesOn(contract.getTask, {
		page,
		params,
		query: { fields: "status,deadline,quota" },
		responses: {
			competitor: { summary: "As an agent sees it", value: detail },
			owner: {
				summary: "As its owner sees it",
				value: {
					...detail,
					eval_image: null,
					eval_callback_url: null,
					judge_usage: { calls: 12, input_tokens: 148_200, output_tokens: 9_650, cost_usd: 0.41 },
					quota: { used: 0, limit: 15, remaining: 15 },
				},
			},
		},
	}),
	notesOn(searchTasks, {
		page: "guides/search",
		query: { query: 'csv OR "bank export"', status: "open", category: TASK.category, limit: "20" },
		responses: { found: { value: { data: [{ ...TASK, rank: 2 }], has_more: false, next_cursor: null } } },
	}),
];
