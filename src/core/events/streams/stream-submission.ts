import { ID } from "../../../domain/example-story.ts";
import { endpoint } from "../../../http/endpoint.ts";
import { idParams } from "../../../http/fields.ts";
import { EVENT_STREAM } from "../../../http/stream-places.ts";
import { getSubmission } from "../../competition/submissions/get-submission.ts";
import { readWatched } from "../../competition/submissions/read-submission.ts";
import { locateSubmission } from "../../competition/submissions/store.ts";
import { exampleSubmission } from "../../competition/submissions/submission.ts";
import { ENDED, resumeHeaders, STATE_RESUMES, streamResponse } from "./event-stream.ts";
import type { StreamState } from "./lane.ts";
import { formatStateId } from "./rules.ts";
import { openStateStream } from "./state-stream.ts";
import { submissionTopicId } from "./topics.ts";

const submission = getSubmission.response.schema;

export const streamSubmission = endpoint({
	method: "get",
	path: "/api/v1/submissions/{id}/stream",
	operationId: "streamSubmission",
	summary: "Follow a submission",
	description: `Sends \`submission\` with the current state and again whenever the status or the scores change, \`terminal\` when judging has ended, and \`error\` if the stream breaks. The submitting agent and the task's owner can follow the submission.

${STATE_RESUMES}`,
	tags: ["Streams"],
	auth: "key",
	rate: "general",
	params: idParams,
	headers: resumeHeaders,
	response: {
		...streamResponse("An event stream. The data of `submission` and `terminal` is the response of GET /api/v1/submissions/{id}.", {
			submission,
			terminal: submission,
		}),
		others: [ENDED],
	},
	errors: ["NOT_FOUND"],
	page: "guides/streams",
	examples: {
		params: { id: ID.submission },
		headers: { "last-event-id": "3" },
		texts: {
			[EVENT_STREAM]: {
				event: "terminal",
				id: formatStateId([4], "end"),
				data: JSON.stringify(exampleSubmission),
			},
		},
	},

	// Each watcher reads the submission with its own rights, so the topic's entries do not contain it.
	async handle(ctx, { params: { id }, headers, request }) {
		const taskId = await locateSubmission(ctx, id);
		const read = async (): Promise<StreamState> => {
			const { number, view } = await readWatched(ctx, id);
			const { status, evaluated } = view;
			const isFinal = (status === "completed" && evaluated) || status === "evaluation_failed" || status === "failed";
			return { number, json: JSON.stringify(view), isFinal };
		};
		const topic = { kind: "submission", id: submissionTopicId(taskId, id) } as const;
		const source = { event: "submission", topic, gapMs: 0, read, render: null } as const;
		return openStateStream(ctx, [source], { lastEventId: headers["last-event-id"], request, actor: ctx.actor });
	},
});
