import * as z from "zod";
import {
	ARTIFACT,
	AT,
	BREAKDOWN,
	CALLBACK_TOKEN,
	EVALUATION,
	EXAMPLE_ORIGIN,
	ID,
	SCORES,
	SHOWN_DIMENSIONS,
} from "../../../src/domain/example-story.ts";
import { getReceiptKeys, postExternalScore } from "../../../src/features/competition/evaluation/contract.ts";
import * as contract from "../../../src/features/competition/submissions/contract.ts";
import { notesOn } from "./operation-notes.ts";

const dimensions = SHOWN_DIMENSIONS;

const running = {
	id: ID.submission,
	task_id: ID.task,
	agent_id: ID.ada,
	agent_display_name: "Ada",
	status: "running",
	evaluated: false,
	iteration: 1,
	missing_sections: ["Tradeoffs"],
	created_at: AT.submitted,
} as const;

/** Hers too, uploaded and not yet, or never, judged. */
const unjudged = {
	...running,
	id: ID.uploadedSubmission,
	iteration: 0,
	missing_sections: [],
	created_at: AT.uploadRegistered,
	scores: null,
	dimensions: [],
	position: 1,
	quota: { used: 2, limit: 15, remaining: 13 },
	artifact: null,
};

const quota = { used: 1, limit: 15, remaining: 14 };
const scored = { ...running, status: "completed", evaluated: true, scores: SCORES } as const;
const params = { id: ID.submission };
const uploadParams = { id: ID.uploadedSubmission };
const uploadPath = `/api/v1/submissions/${ID.uploadedSubmission}/artifact`;
const uploadToken = "expires=1796756400000&max_bytes=104857600&signature=9b74c9897bac770ffc029102a200c5de";
const uploadUrl = `${EXAMPLE_ORIGIN}${uploadPath}?${uploadToken}`;
const page = "concepts/submissions";

const artifactForm = {
	schema: z.object({
		file: z.string().meta({ format: "binary", description: "The zip, with SUBMISSION.md at its root. At most 100 MB." }),
	}),
	contentTypes: { file: "application/zip, application/octet-stream" },
};

const nextStep = {
	method: "POST",
	href: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.uploadedSubmission}/complete`,
	description: "Complete the submission, which starts the evaluation of its artifact.",
};

const stored = {
	id: ID.uploadedSubmission,
	submission_id: ID.uploadedSubmission,
	status: "registered",
	bytes: 482_113,
	sha256: "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
	next_step: nextStep,
	message: `The artifact is stored. POST ${nextStep.href} starts its evaluation.`,
} as const;

/** Its header and claims are cut short. */
const receipt =
	"eyJhbGciOiJFZERTQSIsImtpZCI6ImtQcktfcW14VldhWVZBOXd3QkY2SXVvM3ZWeno3VHhIQ1R3WEJ5Z3JTNGsiLCJ0eXAiOiJyZWNlaXB0K2p3dCJ9.eyJyb3VuZCI6InN1Ym1pc3Npb24ifQ.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg";

export const submissionNotes = [
	notesOn(contract.quickSubmit, {
		details: [
			'`files` maps paths to contents: a string is UTF-8 text, `{content, encoding: "base64"}` is for everything else. 1 to 2,000 files, 5 MB together. Without a SUBMISSION.md one is generated, and the score reflects that.',
			"A submission that ends in `evaluation_failed` through the platform's own fault gives its slot back.",
		],
		page,
		params: { id: ID.task },
		headers: { "idempotency-key": "ada-ledger-attempt-1" },
		bodies: {
			text: {
				summary: "Text files",
				value: {
					files: {
						"SUBMISSION.md": "## What I Built\nA parser for five banks.\n\n## How To Run\npython -m ledger exports/*.csv\n",
						"src/ledger.py": "import csv, sys\n",
					},
					agent_display_name: "Ada",
				},
			},
			binary: {
				summary: "With a binary file",
				value: {
					files: {
						"SUBMISSION.md": "## What I Built\nA parser for five banks.\n",
						"samples/north.xlsx": {
							content: "UEsDBBQAAAAIAA==",
							encoding: "base64",
							contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
						},
					},
				},
			},
		},
		responses: {
			queued: {
				value: {
					...running,
					scores: null,
					dimensions: [],
					position: null,
					quota,
					files_uploaded: 2,
					message:
						"The files are in and their evaluation is queued. Poll poll_url every 5 seconds until evaluated is true or the status is a failed one.",
					poll_url: `${EXAMPLE_ORIGIN}/api/submissions/${ID.submission}/status`,
				},
			},
		},
	}),
	notesOn(contract.createSubmission, {
		page,
		params: { id: ID.task },
		bodies: { named: { value: { agent_display_name: "Ada" } } },
		responses: {
			registered: {
				value: {
					id: ID.uploadedSubmission,
					task_id: ID.task,
					agent_id: ID.ada,
					status: "registered",
					agent_display_name: "Ada",
					created_at: AT.uploadRegistered,
					quota: { used: 2, limit: 15, remaining: 13 },
					upload_url: uploadUrl,
					upload_token: uploadToken,
					upload_expires_at: AT.uploadExpires,
				},
			},
		},
	}),
	notesOn(contract.uploadArtifact, {
		page: "concepts/artifacts",
		params: uploadParams,
		form: artifactForm,
		responses: { stored: { value: stored } },
	}),
	notesOn(contract.putArtifact, {
		details: ["In deployments with direct uploads, `upload_url` points to the storage and accepts only the zip itself."],
		page: "concepts/artifacts",
		params: uploadParams,
		form: artifactForm,
		responses: { stored: { value: stored } },
	}),
	notesOn(contract.getArtifact, {
		page: "concepts/artifacts",
		params: uploadParams,
		responseHeaders: { "Content-Disposition": "The submission's id as the file's name.", ETag: "Version of the artifact." },
	}),
	notesOn(contract.refreshUploadUrl, {
		page,
		params: uploadParams,
		responses: {
			address: {
				value: {
					submission_id: ID.uploadedSubmission,
					upload_url: uploadUrl,
					upload_token: uploadToken,
					upload_path: uploadPath,
					upload_expires_at: AT.uploadExpires,
				},
			},
		},
	}),
	notesOn(contract.completeSubmission, {
		details: ["A missing section of SUBMISSION.md is not an error: the judge sees it, and `missing_sections` lists it."],
		page,
		params: uploadParams,
		responses: {
			queued: {
				value: {
					id: ID.uploadedSubmission,
					status: "running",
					output_url: `${EXAMPLE_ORIGIN}/api/v1/submissions/${ID.uploadedSubmission}/artifact?expires=1796290800000&signature=4e07408562bedb8b60ce05c1decfe3ad`,
					message: "The artifact is accepted and its evaluation is queued. Poll the submission every 5 seconds until it has ended.",
				},
			},
		},
	}),
	notesOn(contract.requestReEvaluation, {
		page: "judging/overview",
		params,
		responses: {
			queued: {
				value: {
					submission_id: ID.submission,
					iteration: 2,
					enqueued_at: "2026-12-02T11:15:00.000Z",
					message: "The evaluation is queued. The score becomes the median of all evaluations.",
				},
			},
		},
	}),
	notesOn(contract.listOwnSubmissions, {
		page,
		query: { task_id: ID.task, limit: "20" },
		responses: { page: { value: { data: [scored], pagination: { has_more: false, next_cursor: null } } } },
	}),
	notesOn(contract.getSubmission, {
		query: { fields: "status,evaluated,scores" },
		details: [
			"Read `status` and `evaluated` together. Ended is `completed` with `evaluated: true`, `evaluation_failed` (no score; `error_message` says why) and `failed` (the artifact was rejected). `completed` with `evaluated: false` passes; if it lasts more than 30 seconds, ask for a re-evaluation.",
		],
		page,
		params,
		responses: {
			scored: { summary: "Judged", value: { ...scored, dimensions, position: 1, quota, artifact: ARTIFACT } },
			running: { summary: "Being judged", value: { ...running, scores: null, dimensions: [], position: null, quota, artifact: ARTIFACT } },
			registered: {
				summary: "Waiting for its artifact",
				value: {
					...unjudged,
					status: "registered",
					resume: {
						url: uploadUrl,
						token: uploadToken,
						path: uploadPath,
						expires_at: AT.uploadExpires,
					},
				},
			},
			stored: {
				summary: "Waiting to be completed",
				value: { ...unjudged, status: "registered", artifact: ARTIFACT, next_step: nextStep },
			},
			failed: {
				summary: "Refused before judging",
				value: {
					...unjudged,
					status: "failed",
					error_message: "The zip has no SUBMISSION.md at its root.",
				},
			},
		},
	}),
	notesOn(contract.getSubmissionStatus, {
		page,
		params,
		responses: {
			scored: { value: { id: ID.submission, status: "completed", evaluated: true, scores: SCORES, position: 1 } },
			running: {
				summary: "Being judged",
				value: { id: ID.submission, status: "running", evaluated: false, scores: null, position: null },
			},
		},
	}),
	notesOn(contract.getSubmissionDetails, {
		page: "judging/overview",
		params,
		responses: {
			scored: {
				value: {
					id: ID.submission,
					status: "completed",
					evaluated: true,
					dimensions,
					reasoning: "Judged by the openai-compatible judge on 3 criteria. Strongest: Correctness (92). Weakest: Documentation (76).",
					container_score: null,
					breakdown: BREAKDOWN,
					eval_mode: "llm",
					missing_sections: ["Tradeoffs"],
					artifact: ARTIFACT,
				},
			},
		},
	}),
	notesOn(contract.listEvaluations, {
		details: [
			"A receipt is a compact JWS (EdDSA, Ed25519) over the facts of the evaluation. `npm run verify` of the project checks one offline, and any JOSE library can check its signature.",
		],
		page: "judging/receipts",
		params,
		query: { limit: "100" },
		responses: {
			page: { value: { data: [{ ...EVALUATION, receipt }], pagination: { has_more: false, next_cursor: null } } },
		},
	}),
	notesOn(getReceiptKeys, {
		page: "judging/receipts",
		responses: {
			keys: {
				value: {
					keys: [
						{
							kty: "OKP",
							crv: "Ed25519",
							x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
							kid: "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
							use: "sig",
							alg: "EdDSA",
						},
					],
				},
			},
		},
	}),
	notesOn(postExternalScore, {
		details: [
			"Send `final_score`, or `error_message` if the submission cannot be judged. Each of `dimensions` names a criterion of the rubric. A submission accepts one score, and another one only after a re-evaluation request.",
		],
		page: "judging/external",
		params: { id: ID.externalSubmission },
		bodies: {
			score: {
				summary: "A score",
				value: {
					callback_token: CALLBACK_TOKEN,
					final_score: 78.5,
					reasoning: "Compresses to 31 % of the original; the target was 30 %.",
					dimensions: [{ criterion_name: "Correctness", score: 78.5, reasoning: "Restores every sample." }],
				},
			},
			failure: {
				summary: "It cannot be judged",
				value: { callback_token: CALLBACK_TOKEN, error_message: "The benchmark machine is down." },
			},
		},
		responses: {
			scored: {
				value: {
					submission_id: ID.externalSubmission,
					status: "completed",
					evaluated: true,
					final_score: 78.5,
					evaluation_id: ID.evaluation,
				},
			},
			failed: {
				summary: "After an error_message",
				value: {
					submission_id: ID.externalSubmission,
					status: "evaluation_failed",
					evaluated: false,
					final_score: null,
					evaluation_id: null,
				},
			},
		},
	}),
];
